import { isFields, listOf, type Fields } from '../../lib/json.ts'
import { isThinking, thinkingBlocks } from '../../upstream/anthropic/thinking.ts'
import type { NativeRequest } from '../../upstream/contract/contract.ts'
import { carriedDetails, isCarrier } from '../chat/reasoning.ts'
import type { MessagesBody } from './body.ts'
import { isClientRun } from './tools.ts'

/** Request headers by their lower-case names. */
export type SentHeaders = Record<string, string | string[] | undefined>

/** Fields that cost extra, or that name things in our own account. */
const DROPPED = [
  'service_tier',
  'speed',
  'container',
  'mcp_servers',
  'fallbacks',
  'inference_geo',
  'thread',
  'diagnostics',
  'user_profile_id',
  'workspace_id',
]

/**
 * The request for an upstream that speaks this dialect. Changed as little as possible and the same
 * way on every turn, since thinking is bound to its exact system, tools and messages.
 */
export function nativeRequest(
  body: MessagesBody & Fields,
  sent: { headers: SentHeaders; tools: Fields[]; catalogId: string; ours: NativeRequest['ours'] },
): NativeRequest {
  const { 'anthropic-version': version, 'anthropic-beta': wanted } = sent.headers
  const betas = keptBetas(wanted)
  const native: Fields = { ...body, messages: withoutCarriers(body.messages, sent.catalogId) }
  for (const name of DROPPED) delete native[name]
  if (!betas.some((beta) => beta.startsWith(CONTEXT_BETA))) delete native.context_management
  if (body.tools && sent.tools.length < body.tools.length) native.tools = sent.tools
  return {
    dialect: 'messages',
    only: sent.tools.some(isClientRun),
    body: native,
    headers: {
      'anthropic-version': version === OTHER_VERSION ? version : USUAL_VERSION,
      ...(betas.length > 0 ? { 'anthropic-beta': betas.join(',') } : {}),
    },
    ours: sent.ours,
  }
}

const CONTEXT_BETA = 'context-management'
const USUAL_VERSION = '2023-06-01'
const OTHER_VERSION = '2026-10-21'

/** Features with a price of their own, or refused. */
const SPENDING =
  /^(fast-mode|mcp-client|code-execution|files-api|skills|server-side-fallback|advisor|oauth)/
const BETA = /^[\w.-]{1,100}$/
const MOST_BETAS = 50

/** Not a fixed list: each release of the clients has new ones. */
function keptBetas(header: string | string[] | undefined): string[] {
  return [header ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .map((beta) => beta.trim())
    .filter((beta) => BETA.test(beta) && !SPENDING.test(beta))
    .slice(0, MOST_BETAS)
}

/**
 * Thinking of other upstreams is in our carrier, which they would refuse; what it carries may be
 * this provider's.
 */
function withoutCarriers(messages: readonly unknown[], model: string): unknown[] {
  return messages.flatMap((message) => {
    if (!isFields(message) || !listOf(message.content).some(hasCarrier)) return [message]
    const content = listOf(message.content).flatMap((block) =>
      hasCarrier(block)
        ? thinkingBlocks({ reasoning_details: carriedDetails(carrierIn(block), model) })
        : [block],
    )
    return content.length === 0 ? [] : [{ ...message, content }]
  })
}

function hasCarrier(block: unknown): block is Fields {
  return isFields(block) && isThinking(block) && isCarrier(carrierIn(block))
}

function carrierIn(block: Fields): unknown {
  return block.type === 'thinking' ? block.signature : block.data
}

import { isFields, listOf, type Fields } from '../../lib/json.ts'
import { betaPasses } from '../../upstream/anthropic/passing.ts'
import { isThinking, thinkingBlocks } from '../../upstream/anthropic/thinking.ts'
import type { NativeRequest } from '../../upstream/contract/contract.ts'
import { BETA_HEADER } from '../../upstream/contract/left-out.ts'
import { carriedDetails, isCarrier } from '../chat/reasoning.ts'
import type { SentHeaders } from '../gateway.ts'
import type { MessagesBody } from './body.ts'
import { isClientRun } from './tools.ts'

/**
 * The request for an upstream that speaks this dialect. Changed as little as possible and the same
 * way on every turn, since thinking is bound to its exact system, tools and messages.
 */
export function nativeRequest(
  body: MessagesBody & Fields,
  sent: { headers: SentHeaders; tools: Fields[]; model: Model; ours: NativeRequest['ours'] },
): NativeRequest {
  const { 'anthropic-version': version, [BETA_HEADER]: wanted } = sent.headers
  const asked = betasIn(wanted).filter((beta) => !beta.startsWith(DONE_HERE))
  const betas = asked.filter((beta) => betaPasses(beta, sent.model.contextLength))
  const leftOut = asked
    .filter((beta) => !betas.includes(beta))
    .map((beta) => `${BETA_HEADER}=${beta}`)
  const native: Fields = { ...body, messages: withoutCarriers(body.messages, sent.model.id) }
  if (!betas.some((beta) => beta.startsWith(CONTEXT))) {
    if (isFields(native[CONTEXT_FIELD])) leftOut.push(CONTEXT_FIELD)
    delete native[CONTEXT_FIELD]
  }
  return {
    dialect: 'messages',
    only: sent.tools.some(isClientRun),
    body: native,
    leftOut,
    headers: {
      'anthropic-version': version === OTHER_VERSION ? version : USUAL_VERSION,
      ...(betas.length > 0 ? { [BETA_HEADER]: betas.join(',') } : {}),
    },
    ours: sent.ours,
  }
}

type Model = { id: string; contextLength?: number | undefined }

/** The caller's `fallbacks`. */
const DONE_HERE = 'server-side-fallback-'
const CONTEXT = 'context-management'
/** Refused without its beta, which some clients leave out for the count. */
const CONTEXT_FIELD = 'context_management'
const USUAL_VERSION = '2023-06-01'
const OTHER_VERSION = '2026-10-21'

const BETA = /^[\w.-]{1,60}$/
const MOST_BETAS = 50

function betasIn(header: string | string[] | undefined): string[] {
  return [header ?? []]
    .flat()
    .flatMap((line) => line.split(','))
    .map((beta) => beta.trim())
    .filter((beta) => BETA.test(beta))
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

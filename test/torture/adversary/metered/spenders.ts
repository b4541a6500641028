import type { Order } from './order.ts'
import { worthOfUsd } from '../models.ts'

/** Ten searches, a container, another tier: each is on the bill beside the tokens. */
const EACH_USD = 0.1

/** Fields that spend, or that reach into the account of who asks, at any depth. */
const FIELDS = new Set([
  'web_search_options',
  'search_parameters',
  'enable_search',
  'plugins',
  'preset',
  'billing_policy',
  'service_tier',
  'speed',
  'mcp_servers',
  'container',
  'background',
  'fallbacks',
])
const BETAS = /^(fallback-credit|server-side-fallback|fast-mode|code-execution|mcp-client|compact)/
/** Blocks and tools of these types work at the upstream. */
const TYPES = /^(tool_addition|web_search|code_interpreter|file_search|namespace|mcp|compaction)/
/** A prompt beyond what the catalog says the model takes costs twice as much. */
const LONG_CONTEXT = /^context-1m/
const LONG_TOKENS = 200_000

/** Bills whatever spends beside tokens, and gives how many searches an upstream would report. */
export function billSpenders({ body, headers, meter }: Order): number {
  const betas = String(headers['anthropic-beta'] ?? '').split(',')
  const found = betas.filter((beta) => BETAS.test(beta.trim())).length + spendersIn(body)
  if (found > 0) meter.add(worthOfUsd(EACH_USD * found))
  return found * 10
}

export function isLongContext({ headers }: Order, promptTokens: number): boolean {
  const betas = String(headers['anthropic-beta'] ?? '').split(',')
  return promptTokens > LONG_TOKENS && betas.some((beta) => LONG_CONTEXT.test(beta.trim()))
}

function spendersIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce((sum, [name, item]) => {
    const spends = FIELDS.has(name) && item !== null && item !== false && item !== undefined
    const runs = name === 'type' && typeof item === 'string' && TYPES.test(item)
    return sum + (spends || runs ? 1 : spendersIn(item))
  }, 0)
}

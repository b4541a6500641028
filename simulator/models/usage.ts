import type { Exchange, Json } from './exchange.ts'
import { splitFault } from './faults/faults.ts'
import type { SimulatedModel } from './simulated-models.ts'

export type Tokens = {
  prompt: number
  completion: number
  cached?: number
  reasoning?: number
  images?: number
  /** Sound that goes in, and that comes out. */
  audio?: number
  spoken?: number
}

/** Roughly four bytes a token, at least one. */
export function countTokens(text: string): number {
  return Math.max(1, Math.ceil(Buffer.byteLength(text) / 4))
}

/** Unicode code points: what speech is charged by. */
export const countCharacters = (text: string): number => Array.from(text).length

/** The usage block of chat and embeddings, falsified if the fault says so. */
export function reportUsage(exchange: Exchange, tokens: Tokens): Json | undefined {
  const cost = tokenCost(exchange.model!, tokens)
  const usage: Json = {
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    total_tokens: tokens.prompt + tokens.completion,
    cost,
    is_byok: false,
    prompt_tokens_details: { cached_tokens: tokens.cached ?? 0, audio_tokens: tokens.audio ?? 0 },
    cost_details: { upstream_inference_cost: cost },
    completion_tokens_details: {
      reasoning_tokens: tokens.reasoning ?? 0,
      image_tokens: tokens.images ?? 0,
      audio_tokens: tokens.spoken ?? 0,
    },
  }
  return applyUsageFault(exchange, usage)
}

/** Applies the usage faults, and notes the reported cost in the journal. */
export function applyUsageFault(exchange: Exchange, usage: Json): Json | undefined {
  const { name } = splitFault(exchange.fault ?? '')
  const change = USAGE_FAULTS[name]
  const reported =
    name === 'usage-missing' ? undefined : change ? { ...usage, ...change(usage) } : usage
  exchange.entry.cost = typeof reported?.cost === 'number' ? reported.cost : undefined
  return reported
}

const allFields = (usage: Json, value: unknown): Json =>
  Object.fromEntries(
    Object.keys(usage)
      .filter((key) => key.endsWith('tokens') || key === 'seconds' || key === 'cost')
      .map((key) => [key, value]),
  )

const USAGE_FAULTS: Record<string, (usage: Json) => Json> = {
  'usage-zero': (usage) => allFields(usage, 0),
  'usage-negative': (usage) => allFields(usage, -5),
  'usage-nan': (usage) => allFields(usage, 'NaN'),
  'usage-string': (usage) => allFields(usage, 'twelve'),
  'usage-huge': (usage) => allFields(usage, 1e308),
  'usage-mismatch': () => ({ total_tokens: 999_999 }),
  'usage-fraction': (usage) => ({ ...allFields(usage, 1.5) }),
  'reasoning-excess': (usage) => ({
    completion_tokens_details: { reasoning_tokens: Number(usage.completion_tokens) + 23 },
  }),
  'cost-negative': () => ({ cost: -1 }),
  'cost-null': () => ({ cost: null }),
  'cost-string': () => ({ cost: 'a lot' }),
  'cost-huge': () => ({ cost: 1e308 }),
}

function tokenCost(model: SimulatedModel, tokens: Tokens): number {
  const cached = tokens.cached ?? 0
  const { images = 0, audio = 0, spoken = 0 } = tokens
  return usd([
    [tokens.prompt - cached - audio, priceOf(model, 'prompt')],
    [cached, priceOf(model, 'input_cache_read', 'prompt')],
    [audio, priceOf(model, 'audio', 'prompt')],
    [tokens.completion - images - spoken, priceOf(model, 'completion')],
    [images, priceOf(model, 'image_output', 'completion')],
    [spoken, priceOf(model, 'audio_output', 'completion')],
    [1, priceOf(model, 'request')],
  ])
}

export function priceOf(model: SimulatedModel, ...keys: string[]): string {
  for (const key of keys) {
    const price = model.pricing[key]
    if (typeof price === 'string') return price
  }
  return '0'
}

/** Exact sums of amount × price: whole numbers of 1e-18 dollars, a float only at the end. */
export function usd(parts: [amount: number, price: string][]): number {
  let sum = 0n
  for (const [amount, price] of parts) {
    const atto = attoDollars(price)
    // Amounts may have up to six decimals (seconds of audio).
    if (atto > 0n) sum += (BigInt(Math.round(amount * 1e6)) * atto) / 1_000_000n
  }
  const digits = sum.toString().padStart(19, '0')
  return Number(`${digits.slice(0, -18)}.${digits.slice(-18)}`)
}

function attoDollars(price: string): bigint {
  const [whole = '0', decimals = ''] = price.split('.')
  return BigInt(whole + decimals.slice(0, 18).padEnd(18, '0'))
}

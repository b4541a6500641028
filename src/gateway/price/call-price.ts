import { lesser, MICRO, toMicro, tokenCost, type Rate } from '../../billing/money.ts'
import type { PricedModel } from '../../catalog/catalog.ts'
import { decimal, plus } from '../../lib/decimal.ts'
import type { Log } from '../../lib/log.ts'
import type { UsageReading } from '../../upstream/contract/usage.ts'
import type { StageUsage } from '../bill/rows.ts'

/**
 * How large a prompt is, before anyone has counted its tokens. An estimate from bytes, because real
 * tokenizers are superlinear on repetitive text: 50,000 × "a" blocked the loop for seconds.
 */
export type PromptSize = { textBytes: number; imageCount: number; mediaTokens: number }

/** Prose runs at 3 to 4.5 bytes a token; what is neither prose nor English is denser. */
const BYTES_PER_TOKEN = 3
/** Roles, separators and the start of the answer. */
const TOKENS_PER_PROMPT = 8

export function promptTokens(size: PromptSize): number {
  return Math.ceil(size.textBytes / BYTES_PER_TOKEN) + size.mediaTokens + TOKENS_PER_PROMPT
}

/** Tokens of an answer whose upstream counted none. */
function answerTokens(outputBytes: number): number {
  return Math.ceil(outputBytes / BYTES_PER_TOKEN)
}

/** What to hold for a call: as much of `wantMicro` as there is, and no less than `needMicro`. */
export type Amounts = { wantMicro: bigint; needMicro: bigint }

export const NOTHING: Amounts = { wantMicro: 0n, needMicro: 0n }

/** The most that is held for an answer, and the least that must be there for one. */
export type ReservationRules = { capMicro: bigint; minMicro: bigint }

/** What a caller asks for that sizes the answer. */
type AnswerLength = { maxTokens: number | undefined; choices: number }

/** One call priced by the token: the prices of its first moment hold for all of it. */
export type TokenPrice = {
  /** Without an answer, for work whose result has no tokens. */
  amounts(answer?: AnswerLength): Amounts
  /** `outputBytes` is what the answer is estimated from when the upstream reported no tokens. */
  usage(reading: UsageReading, outputBytes: number): StageUsage
}

export function tokenPrice(call: {
  model: PricedModel
  /** Estimated from what is sent. */
  promptTokens: number
  images: number
  at: Date
  rules: ReservationRules
  log: Log
}): TokenPrice {
  const { model, log } = call
  return {
    amounts: (answer) => tokenAmounts(call, answer),
    usage(reading, outputBytes) {
      logUnusable(log, model.id, reading)
      return tokenUsage(call, reading, outputBytes)
    },
  }
}

type TokenCall = Pick<Parameters<typeof tokenPrice>[0], 'model' | 'promptTokens' | 'images' | 'at'>

const DEFAULT_ANSWER_TOKENS = 1_024

/**
 * The prompt must be affordable; the answer's part is capped, so that a huge `max_tokens` never
 * blocks a normal account.
 */
function tokenAmounts(
  call: TokenCall & { rules: ReservationRules },
  answer: AnswerLength | undefined,
): Amounts {
  const { model, promptTokens, images, at, rules } = call
  if (model.free) return NOTHING
  const completionTokens = answer === undefined ? 0 : longestAnswer(answer, model.maxOutputTokens)
  const cost = tokenCost(model.prices, { promptTokens, completionTokens, images }, at)
  const promptMicro = toMicro(cost.promptUsd, model)
  const answerMicro = lesser(toMicro(cost.answerUsd, model), rules.capMicro)
  return { wantMicro: promptMicro + answerMicro, needMicro: promptMicro + rules.minMicro }
}

function longestAnswer({ maxTokens, choices }: AnswerLength, modelMax: number | undefined): number {
  const tokens = maxTokens ?? DEFAULT_ANSWER_TOKENS
  return Math.min(tokens, modelMax ?? tokens) * choices
}

/**
 * Token prices for what was used. Absent usage is not zero: it is estimated, and the record says
 * so. An explicit zero is zero. What cannot be believed is estimated too.
 */
function tokenUsage(call: TokenCall, reading: UsageReading, outputBytes: number): StageUsage {
  const { model, images, at } = call
  const reported = reading.kind === 'reported' ? reading.usage : {}
  const promptTokens = reported.promptTokens ?? call.promptTokens
  const completionTokens = reported.completionTokens ?? answerTokens(outputBytes)
  const used = { ...reported, promptTokens, completionTokens, images }
  const cost = tokenCost(model.prices, used, at)
  return {
    costMicro: toMicro(plus(cost.promptUsd, cost.answerUsd), model),
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    estimated: reported.promptTokens === undefined || reported.completionTokens === undefined,
  }
}

/** A price that is known beforehand must be there in full. */
export function reserveWhole(micro: bigint): Amounts {
  return { wantMicro: micro, needMicro: micro }
}

/**
 * What the upstream charged us, at the model's rate; the catalog's price when it reported nothing
 * that can be believed. An explicit zero is zero.
 */
export function reportedCost(options: {
  reading: UsageReading
  rate: Rate
  catalogMicro: bigint
}): { costMicro: bigint; estimated: boolean } {
  const { reading, rate, catalogMicro } = options
  const usd = reading.kind === 'reported' ? reading.usage.costUsd : undefined
  const costMicro = usd === undefined ? undefined : toMicro(decimal(usd), rate)
  return costMicro === undefined || !isBelievable(costMicro, catalogMicro)
    ? { costMicro: catalogMicro, estimated: true }
    : { costMicro, estimated: false }
}

/** A report of more than this many times the catalog's price is in the wrong unit. */
const BELIEVABLE_TIMES = 10n
/** Upstreams have a smallest charge of their own, whatever the catalog says. */
const BELIEVED_MICRO = 10n * MICRO

function isBelievable(costMicro: bigint, catalogMicro: bigint): boolean {
  return costMicro <= BELIEVED_MICRO || costMicro <= catalogMicro * BELIEVABLE_TIMES
}

/** An upstream whose reports have to be replaced by estimates is worth the operator's attention. */
export function logUnusable(log: Log, model: string, reading: UsageReading): void {
  if (reading.kind !== 'unusable') return
  log.warn('An upstream reported implausible usage; it was estimated instead.', {
    model,
    reason: reading.reason,
  })
}

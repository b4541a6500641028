import { toMicro, tokenCost, type PriceList, type Rate } from '../../billing/money.ts'

export type ReservationRules = { capMicro: bigint; minMicro: bigint }

export type Amounts = { wantMicro: bigint; needMicro: bigint }

export const NOTHING: Amounts = { wantMicro: 0n, needMicro: 0n }

const DEFAULT_ANSWER_TOKENS = 1_024

/** What a caller asks for that sizes the answer. */
export type AnswerWish = {
  maxTokens: number | undefined
  choices: number
  /** The most the model can say. */
  modelMaxTokens: number | undefined
}

/**
 * The prompt must be affordable; the answer's part is capped, so that a huge `max_tokens` never
 * blocks a normal account.
 */
export function reserveTokens(options: {
  prices: PriceList
  rate: Rate
  rules: ReservationRules
  /** A free model reserves nothing. */
  free: boolean
  promptTokens: number
  images: number
  answer: AnswerWish | undefined
  at: Date
}): Amounts {
  const { prices, rate, rules, promptTokens, images, answer, at } = options
  if (options.free) return NOTHING
  const completionTokens = answer === undefined ? 0 : answerTokens(answer)
  const cost = tokenCost(prices, { promptTokens, completionTokens, images }, at)
  const promptMicro = toMicro(cost.promptUsd, rate)
  const answerMicro = least(toMicro(cost.answerUsd, rate), rules.capMicro)
  return { wantMicro: promptMicro + answerMicro, needMicro: promptMicro + rules.minMicro }
}

/** A price that is known beforehand must be there in full. */
export function reserveWhole(micro: bigint): Amounts {
  return { wantMicro: micro, needMicro: micro }
}

function answerTokens({ maxTokens, choices, modelMaxTokens }: AnswerWish): number {
  const wished = maxTokens ?? DEFAULT_ANSWER_TOKENS
  return Math.min(wished, modelMaxTokens ?? wished) * choices
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

import { plus } from '../../lib/decimal.ts'
import { each, MICRO, toMicro, tokenCost } from '../../billing/money.ts'
import type { PricedModel } from '../../catalog/catalog.ts'
import { NOTHING, type Amounts, type ReservationRules } from './reservation.ts'

/** What is charged for work that has neither a reported nor a listed price. */
export const NOMINAL_MICRO = MICRO

/** People speak about 15 characters a second, and models count 10 to 25 tokens for it. */
export const CHARACTERS_PER_S = 15
const HEARD_TOKENS_PER_S = 10
const SPOKEN_TOKENS_PER_S = 25
const CHARACTERS_PER_TOKEN = 3

export type Tokens = { promptTokens: number; completionTokens: number }

/** The catalog's price for listening; undefined when it cannot be told from what is known. */
export function hearingPrice(
  model: PricedModel,
  heard: { seconds: number | undefined; tokens?: Tokens | undefined },
  at: Date,
): bigint | undefined {
  const { audio_second: perSecond, request, completion } = model.prices
  const { seconds } = heard
  if (perSecond !== undefined) {
    if (seconds === undefined) return undefined
    return toMicro(plus(each(request, 1), each(perSecond, seconds)), model)
  }
  if (completion === undefined) return undefined
  const tokens = heard.tokens ?? (seconds === undefined ? undefined : heardTokens(seconds))
  return tokens === undefined ? undefined : tokenPrice(model, tokens, at)
}

/** The catalog's price for speaking; `exact` when it is by the character. */
export function speakingPrice(
  model: PricedModel,
  said: { characters: number; seconds: number },
  at: Date,
): { micro: bigint; exact: boolean } | undefined {
  const { character, request, completion } = model.prices
  if (character !== undefined) {
    const usd = plus(each(request, 1), each(character, said.characters))
    return { micro: toMicro(usd, model), exact: true }
  }
  if (completion === undefined) return undefined
  const tokens = {
    promptTokens: Math.ceil(said.characters / CHARACTERS_PER_TOKEN),
    completionTokens: Math.ceil(said.seconds * SPOKEN_TOKENS_PER_S),
  }
  return { micro: tokenPrice(model, tokens, at), exact: false }
}

/**
 * A price that can be computed is held and must be there, up to the cap; else a nominal hold stands
 * for it, and any account that is not empty may go on.
 */
export function holdAmounts(
  model: PricedModel,
  estimateMicro: bigint | undefined,
  rules: ReservationRules & { nominalMicro: bigint },
): Amounts {
  if (model.free) return NOTHING
  if (estimateMicro === undefined) {
    return { wantMicro: least(rules.nominalMicro, rules.capMicro), needMicro: rules.minMicro }
  }
  const heldMicro = least(estimateMicro, rules.capMicro)
  return { wantMicro: heldMicro, needMicro: heldMicro }
}

/** One hold for a flow of several stages, under the same cap. */
export function sumAmounts(stages: Amounts[], rules: ReservationRules): Amounts {
  const sum = (pick: (one: Amounts) => bigint) =>
    least(
      stages.reduce((total, one) => total + pick(one), 0n),
      rules.capMicro,
    )
  return { wantMicro: sum((one) => one.wantMicro), needMicro: sum((one) => one.needMicro) }
}

function heardTokens(seconds: number): Tokens {
  return {
    promptTokens: Math.ceil(seconds * HEARD_TOKENS_PER_S),
    completionTokens: Math.ceil((seconds * CHARACTERS_PER_S) / CHARACTERS_PER_TOKEN),
  }
}

function tokenPrice(model: PricedModel, tokens: Tokens, at: Date): bigint {
  const { promptUsd, answerUsd } = tokenCost(model.prices, tokens, at)
  return toMicro(plus(promptUsd, answerUsd), model)
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

import { plus } from '../../lib/decimal.ts'
import {
  each,
  greater,
  lesser,
  MICRO,
  toMicro,
  tokenCost,
  type TokenUse,
} from '../../ledger/money.ts'
import type { CostBounds } from '../../ledger/commands.ts'
import type { PricedModel } from '../../catalog/catalog.ts'
import { NOTHING, type CostEstimate, type ReservationRules } from './cost-estimate.ts'
import { textTokens } from './prompt-size.ts'

/** Charged for work with neither a reported nor a listed price. */
export const NOMINAL_MICRO = MICRO

/** People speak about 15 characters a second; models count 10 to 25 tokens for it. */
export const CHARACTERS_PER_S = 15
const AUDIO_TOKENS_PER_S = 10
const SPEECH_TOKENS_PER_S = 25
const CHARACTERS_PER_TOKEN = 3

/**
 * The catalog's price; undefined when too little is known. `textBytes` is what is sent beside the
 * sound.
 */
export function transcriptionPrice(
  model: PricedModel,
  audio: { seconds: number | undefined; tokens?: TokenUse | undefined; textBytes?: number },
  at: Date,
): bigint | undefined {
  const { request, completion } = model.prices
  const { seconds } = audio
  const timed = timePrice(model)
  if (timed !== undefined) {
    if (seconds === undefined) return undefined
    const usd = plus(each(request, timed.seconds), each(timed.price, seconds))
    return toMicro(usd, model, BigInt(timed.seconds))
  }
  if (completion === undefined) return undefined
  const tokens =
    audio.tokens ??
    (seconds === undefined ? undefined : estimatedTokens(seconds, audio.textBytes ?? 0))
  return tokens === undefined ? undefined : tokensMicro(model, tokens, at)
}

function timePrice({ prices }: PricedModel): { price: string; seconds: number } | undefined {
  const { audio_second: second, audio_minute: minute, audio_hour: hour } = prices
  if (second !== undefined) return { price: second, seconds: 1 }
  if (minute !== undefined) return { price: minute, seconds: 60 }
  return hour === undefined ? undefined : { price: hour, seconds: 3_600 }
}

/** Digits are read aloud at three characters a second. */
export const SLOWEST_CHARACTERS_PER_S = 3

/** The catalog's price; `exact` when by the character. */
export function speechPrice(
  model: PricedModel,
  speech: { characters: number; seconds: number; textBytes: number },
  at: Date,
): { micro: bigint; exact: boolean } | undefined {
  const { character, request, completion } = model.prices
  if (character !== undefined) {
    const usd = plus(each(request, 1), each(character, speech.characters))
    return { micro: toMicro(usd, model), exact: true }
  }
  if (completion === undefined) return undefined
  const tokens = {
    promptTokens: textTokens(speech.textBytes),
    completionTokens: Math.ceil(speech.seconds * SPEECH_TOKENS_PER_S),
  }
  return { micro: tokensMicro(model, tokens, at), exact: false }
}

/**
 * A computable price must be there, up to the cap; else a nominal amount is held, and any account
 * with credits may go on.
 */
export function voiceEstimate(
  model: PricedModel,
  priceMicro: bigint | undefined,
  rules: ReservationRules & { nominalMicro: bigint },
  worstCaseMicro = priceMicro,
): CostEstimate {
  if (model.free) return NOTHING
  const expectedMicro = priceMicro ?? rules.nominalMicro
  const estimateMicro = lesser(expectedMicro, rules.capMicro)
  const minimumMicro = priceMicro === undefined ? rules.minMicro : estimateMicro
  const certainMicro = priceMicro ?? rules.minMicro
  // It cannot be ended half way, so all that it may cost is held as far as there are credits.
  const mostMicro = greater(certainMicro, worstCaseMicro ?? expectedMicro)
  return {
    estimateMicro,
    minimumMicro,
    bounds: {
      committedMicro: certainMicro,
      minimumMicro: certainMicro,
      initialLimitMicro: mostMicro,
      worstCaseMicro: mostMicro,
      fixed: true,
      rough: false,
    },
  }
}

/** One hold for all stages, under the same cap. */
export function sumEstimates(stages: CostEstimate[], rules: ReservationRules): CostEstimate {
  const sum = (pick: (one: CostEstimate) => bigint) =>
    lesser(
      stages.reduce((total, one) => total + pick(one), 0n),
      rules.capMicro,
    )
  return {
    estimateMicro: sum((one) => one.estimateMicro),
    minimumMicro: sum((one) => one.minimumMicro),
    bounds: sumBounds(stages),
  }
}

/** A free stage has no bounds and costs nothing. */
function sumBounds(stages: CostEstimate[]): CostBounds {
  const sum = (name: 'committedMicro' | 'minimumMicro' | 'initialLimitMicro' | 'worstCaseMicro') =>
    stages.reduce((total, { bounds }) => total + (bounds?.[name] ?? 0n), 0n)
  return {
    committedMicro: sum('committedMicro'),
    minimumMicro: sum('minimumMicro'),
    initialLimitMicro: sum('initialLimitMicro'),
    worstCaseMicro: sum('worstCaseMicro'),
    fixed: true,
    rough: false,
  }
}

function estimatedTokens(seconds: number, textBytes: number): TokenUse {
  const audioTokens = Math.ceil(seconds * AUDIO_TOKENS_PER_S)
  return {
    audioTokens,
    promptTokens: audioTokens + textTokens(textBytes),
    completionTokens: Math.ceil((seconds * CHARACTERS_PER_S) / CHARACTERS_PER_TOKEN),
  }
}

function tokensMicro(model: PricedModel, tokens: TokenUse, at: Date): bigint {
  const { promptUsd, answerUsd } = tokenCost(model.prices, tokens, at)
  return toMicro(plus(promptUsd, answerUsd), model)
}

import {
  greater,
  nanoUsd,
  reportedUpstreamCost,
  toMicro,
  tokenCost,
  type TokenUse,
} from '../../ledger/money.ts'
import type { PricedModel } from '../../catalog/catalog.ts'
import { compare, plus, type Decimal } from '../../lib/decimal.ts'
import type { Log } from '../../lib/log.ts'
import type { Usage, UsageReading } from '../../upstream/contract/usage.ts'
import type { StageUsage } from '../bill/rows.ts'
import { PICTURE_TOKENS } from './media-tokens.ts'
import { promptTokens, textTokens, type PromptSize } from './prompt-size.ts'
import { mostBelievable, reportedCost } from './reported-cost.ts'

/** A call, with the prices at its start. */
type MeasuredCall = { model: ModelPrices; prompt: PromptSize; at: Date }

type ModelPrices = Pick<PricedModel, 'id' | 'prices' | 'margin' | 'creditsPerUsd'>

/** The size of the output, for an upstream that reports no tokens, or not of which kind. */
export type Output = {
  outputBytes: number
  pictures?: number | undefined
  /** An upper bound, for an answer that was cut off for lack of credits. */
  boundTokens?: number | undefined
}

/**
 * What to charge for a call priced by the token. It lives until the answer has ended, so it keeps
 * nothing of the prompt's text.
 */
export function callCharge({ model, prompt, at, log }: MeasuredCall & { log: Log }) {
  return (reading: UsageReading, output: Output): StageUsage => {
    logUnusable(log, model.id, reading)
    return usageOf({ model, prompt, at }, reading, output)
  }
}

export function logUnusable(log: Log, model: string, reading: UsageReading): void {
  if (reading.kind === 'absent') return
  const reason = reading.kind === 'unusable' ? reading.reason : reading.bad
  if (reason !== undefined) {
    log.warn('An upstream reported usage that cannot be believed.', { model, reason })
  }
  if (reading.kind === 'unusable' || reading.unknown === undefined) return
  const names = reading.unknown.join(' ')
  log.warn('An upstream reported counts that have no price.', { model, reason: names })
}

/** Missing or implausible counts are estimated and marked so; a reported zero is zero. */
function usageOf(call: MeasuredCall, reading: UsageReading, output: Output): StageUsage {
  const { model, prompt, at } = call
  const reported = reading.kind === 'reported' ? reading.usage : {}
  const { leastPromptTokens = 0, leastCompletionTokens = 0 } = reported
  const use = {
    ...reported,
    promptTokens: reported.promptTokens ?? Math.max(promptTokens(prompt), leastPromptTokens),
    completionTokens:
      reported.completionTokens ?? Math.max(answerTokens(output), leastCompletionTokens),
    audioTokens: reported.audioTokens ?? soundTokens(prompt, reported),
    cacheWrite1hTokens: reported.cacheWrite1hTokens ?? hourWrites(prompt, reported),
    imageOutputTokens: reported.imageOutputTokens ?? pictureTokens(reported, output),
    images: prompt.imageCount,
  }
  const cost = tokenCost(model.prices, use, at)
  const usd = withUnits(plus(cost.promptUsd, cost.answerUsd), cost.unitsUsd)
  const catalogMicro = toMicro(usd, model)
  const estimated = reported.promptTokens === undefined || reported.completionTokens === undefined
  return {
    costMicro: hasUnknown(reported) ? knownCost(call, use, reading, catalogMicro) : catalogMicro,
    promptTokens: use.promptTokens,
    completionTokens: use.completionTokens,
    estimated,
    upstreamCost:
      reported.costUsd === undefined
        ? { nusd: nanoUsd(usd), basis: estimated ? 'estimated' : 'list' }
        : reportedUpstreamCost(reported.costUsd),
  }
}

/** A count of who knows what may be in a wrong unit, as a reported cost may be. */
function withUnits(tokensUsd: Decimal, unitsUsd: Decimal): Decimal {
  if (unitsUsd.units === 0n) return tokensUsd
  const most = mostBelievable(tokensUsd)
  return plus(tokensUsd, compare(unitsUsd, most) > 0 ? most : unitsUsd)
}

function hasUnknown(usage: Usage): boolean {
  return UNKNOWN.some((name) => (usage[name] ?? 0) > 0)
}

const UNKNOWN = [
  'unknownPromptTokens',
  'unknownCompletionTokens',
  'unknownTokens',
  'unknownUnits',
] as const
const NOTHING_UNKNOWN = Object.fromEntries(UNKNOWN.map((name) => [name, 0]))

/** What has no price is settled by the reported cost, if there is one, else at the dearest price. */
function knownCost(
  { model, at }: MeasuredCall,
  use: TokenUse,
  reading: UsageReading,
  catalogMicro: bigint,
): bigint {
  const { costMicro, estimated } = reportedCost({ reading, rate: model, catalogMicro })
  // The model may be free.
  if (estimated || catalogMicro === 0n) return catalogMicro
  const known = tokenCost(model.prices, { ...use, ...NOTHING_UNKNOWN }, at)
  return greater(costMicro, toMicro(plus(known.promptUsd, known.answerUsd), model))
}

function answerTokens({ outputBytes, pictures = 0, boundTokens }: Output): number {
  return boundTokens ?? textTokens(outputBytes) + pictures * PICTURE_TOKENS
}

/** Few upstreams report how long they cache: then it is as long as was asked for. */
function hourWrites({ cacheLife }: PromptSize, reported: Usage): number | undefined {
  const { cacheWriteTokens: written = 0, cacheWrite30mTokens: half = 0 } = reported
  const told = half + (reported.cacheWrite12hTokens ?? 0)
  return cacheLife === '1h' ? Math.max(0, written - told) : undefined
}

/** Where sound is not reported separately: the tokens that nothing else explains. */
function soundTokens(prompt: PromptSize, reported: Usage): number {
  if (prompt.audioTokens === 0) return 0
  const estimate = promptTokens(prompt)
  return Math.max(0, (reported.promptTokens ?? estimate) - (estimate - prompt.audioTokens))
}

/** The same for pictures. */
function pictureTokens(reported: Usage, output: Output): number {
  const { outputBytes, pictures = 0 } = output
  if (pictures === 0) return 0
  const said = reported.completionTokens ?? answerTokens(output)
  return Math.max(0, said - textTokens(outputBytes) - (reported.reasoningTokens ?? 0))
}

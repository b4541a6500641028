import { nanoUsd, reportedUpstreamCost, toMicro, tokenCost } from '../../ledger/money.ts'
import type { PricedModel } from '../../catalog/catalog.ts'
import { plus } from '../../lib/decimal.ts'
import type { Log } from '../../lib/log.ts'
import type { Usage, UsageReading } from '../../upstream/contract/usage.ts'
import type { StageUsage } from '../bill/rows.ts'
import { PICTURE_TOKENS } from './media-tokens.ts'
import { promptTokens, textTokens, type PromptSize } from './prompt-size.ts'
import { logUnusable } from './reported-cost.ts'

/** A call, with the prices of its first moment. */
type MeasuredCall = { model: ModelPrices; prompt: PromptSize; at: Date }

type ModelPrices = Pick<PricedModel, 'id' | 'prices' | 'margin' | 'creditsPerUsd'>

/** What came out, for an upstream that reports no tokens, or not of what kind they are. */
export type Output = {
  outputBytes: number
  pictures?: number | undefined
  /** No fewer tokens than it has, for an answer that ended because the money did. */
  boundTokens?: number | undefined
}

/**
 * What to charge for a call that is priced by the token. Needed until the answer has ended: only what
 * is named here is kept so long, and nothing that leads to the text of the prompt.
 */
export function callCharge({ model, prompt, at, log }: MeasuredCall & { log: Log }) {
  return (reading: UsageReading, output: Output): StageUsage => {
    if (reading.kind === 'unusable') logUnusable(log, model.id, reading)
    return usageOf({ model, prompt, at }, reading, output)
  }
}

/**
 * Token prices for what was used. Absent usage is not zero: it is estimated, and the record says
 * so. An explicit zero is zero. What cannot be believed is estimated too.
 */
function usageOf(call: MeasuredCall, reading: UsageReading, output: Output): StageUsage {
  const { model, prompt, at } = call
  const reported = reading.kind === 'reported' ? reading.usage : {}
  const use = {
    ...reported,
    promptTokens: reported.promptTokens ?? promptTokens(prompt),
    completionTokens: reported.completionTokens ?? answerTokens(output),
    audioTokens: reported.audioTokens ?? soundTokens(prompt, reported),
    cacheWrite1hTokens: reported.cacheWrite1hTokens ?? hourWrites(prompt, reported),
    imageOutputTokens: reported.imageOutputTokens ?? pictureTokens(reported, output),
    images: prompt.imageCount,
  }
  const cost = tokenCost(model.prices, use, at)
  const { promptTokens: sent, completionTokens: said } = use
  const usd = plus(cost.promptUsd, cost.answerUsd)
  const estimated = reported.promptTokens === undefined || reported.completionTokens === undefined
  return {
    costMicro: toMicro(usd, model),
    promptTokens: sent,
    completionTokens: said,
    totalTokens: sent + said,
    estimated,
    upstreamCost:
      reported.costUsd === undefined
        ? { nusd: nanoUsd(usd), basis: estimated ? 'estimated' : 'list' }
        : reportedUpstreamCost(reported.costUsd),
  }
}

/** Tokens of an answer whose upstream counted none. */
function answerTokens({ outputBytes, pictures = 0, boundTokens }: Output): number {
  return boundTokens ?? textTokens(outputBytes) + pictures * PICTURE_TOKENS
}

/** Few upstreams tell how long they keep what they wrote: then it is as long as was asked for. */
function hourWrites({ cacheLife }: PromptSize, reported: Usage): number | undefined {
  return cacheLife === '1h' ? reported.cacheWriteTokens : undefined
}

/** Where an upstream does not tell the tokens of sound apart: those that nothing else explains. */
function soundTokens(prompt: PromptSize, reported: Usage): number {
  if (prompt.audioTokens === 0) return 0
  const estimate = promptTokens(prompt)
  return Math.max(0, (reported.promptTokens ?? estimate) - (estimate - prompt.audioTokens))
}

/** The same for the tokens of a picture. */
function pictureTokens(reported: Usage, output: Output): number {
  const { outputBytes, pictures = 0 } = output
  if (pictures === 0) return 0
  const said = reported.completionTokens ?? answerTokens(output)
  return Math.max(0, said - textTokens(outputBytes) - (reported.reasoningTokens ?? 0))
}

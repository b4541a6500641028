import { nanoUsd, reportedUpstreamCost, toMicro, tokenCost } from '../../ledger/money.ts'
import type { PricedModel } from '../../catalog/catalog.ts'
import { plus } from '../../lib/decimal.ts'
import type { Log } from '../../lib/log.ts'
import type { Usage, UsageReading } from '../../upstream/contract/usage.ts'
import type { StageUsage } from '../bill/rows.ts'
import { PICTURE_TOKENS } from './media-tokens.ts'
import { promptTokens, textTokens, type PromptSize } from './prompt-size.ts'

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
  const reason = reading.kind === 'unusable' ? reading.reason : reading.badCost
  if (reason === undefined) return
  const what = reading.kind === 'unusable' ? 'usage' : 'a cost'
  log.warn(`An upstream reported ${what} that cannot be believed.`, { model, reason })
}

/** Missing or implausible usage is estimated and marked so; a reported zero is zero. */
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
    estimated,
    upstreamCost:
      reported.costUsd === undefined
        ? { nusd: nanoUsd(usd), basis: estimated ? 'estimated' : 'list' }
        : reportedUpstreamCost(reported.costUsd),
  }
}

function answerTokens({ outputBytes, pictures = 0, boundTokens }: Output): number {
  return boundTokens ?? textTokens(outputBytes) + pictures * PICTURE_TOKENS
}

/** Few upstreams report how long they cache: then it is as long as was asked for. */
function hourWrites({ cacheLife }: PromptSize, reported: Usage): number | undefined {
  return cacheLife === '1h' ? reported.cacheWriteTokens : undefined
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

import { decimal, plus } from '../../lib/decimal.ts'
import { MICRO, toMicro, tokenCost, type PriceList, type Rate } from '../../billing/money.ts'
import type { Log } from '../../lib/log.ts'
import type { UsageReading } from '../../upstream/contract/usage.ts'
import type { Usage } from '../billed-call.ts'

/** Our own count, for an upstream that told none that can be believed. */
export type TokenEstimate = { promptTokens: number; completionTokens: number }

/**
 * Token prices for what was used. Absent usage is not zero: it is estimated, and the record says
 * so. An explicit zero is zero. What cannot be believed is estimated too.
 */
export function tokenUsage(options: {
  reading: UsageReading
  estimate: TokenEstimate
  prices: PriceList
  rate: Rate
  images: number
  at: Date
}): Usage {
  const { reading, estimate, prices, rate, images, at } = options
  const told = reading.kind === 'reported' ? reading.usage : {}
  const promptTokens = told.promptTokens ?? estimate.promptTokens
  const completionTokens = told.completionTokens ?? estimate.completionTokens
  const cost = tokenCost(prices, { ...told, promptTokens, completionTokens, images }, at)
  return {
    costMicro: toMicro(plus(cost.promptUsd, cost.answerUsd), rate),
    promptTokens,
    completionTokens,
    totalTokens: promptTokens + completionTokens,
    estimated: told.promptTokens === undefined || told.completionTokens === undefined,
  }
}

/**
 * What the upstream charged us, at the model's rate; the catalog's price when it told nothing that
 * can be believed. An explicit zero is zero.
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
/** Small sums have a least charge of their own, whatever the catalog says. */
const BELIEVED_MICRO = 10n * MICRO

function isBelievable(costMicro: bigint, catalogMicro: bigint): boolean {
  return costMicro <= BELIEVED_MICRO || costMicro <= catalogMicro * BELIEVABLE_TIMES
}

/** Usage that had to be estimated because of what an upstream said is worth the operator's eye. */
export function tellUnusable(log: Log, model: string, reading: UsageReading): void {
  if (reading.kind !== 'unusable') return
  log.warn('An upstream reported usage that cannot be believed.', { model, reason: reading.reason })
}

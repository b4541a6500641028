import { MICRO, toMicro, type Rate } from '../../billing/money.ts'
import { decimal } from '../../lib/decimal.ts'
import type { Log } from '../../lib/log.ts'
import type { UsageReading } from '../../upstream/contract/usage.ts'

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
  log.warn('An upstream reported usage that cannot be believed.', { model, reason: reading.reason })
}

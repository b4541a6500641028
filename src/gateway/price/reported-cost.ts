import { nusdOfPrice, reportedUpstreamCost, toMicro, type Rate } from '../../ledger/money.ts'
import { compare, decimal, type Decimal } from '../../lib/decimal.ts'
import type { Log } from '../../lib/log.ts'
import type { UpstreamCost } from '../../ledger/upstream-cost.ts'
import type { UsageReading } from '../../upstream/contract/usage.ts'

/**
 * What the upstream charged us, at the model's rate; the catalog's price when it reported nothing
 * that can be believed. An explicit zero is zero. `capUsd` is for a call that the catalog cannot
 * price, or only by a guess: the report is then believed up to this sum, and no further.
 */
export function reportedCost(options: {
  reading: UsageReading
  rate: Rate
  /** Undefined: there is nothing to compare with. */
  catalogMicro: bigint | undefined
  capUsd?: Decimal | undefined
  /** What is charged when nothing is known at all. */
  nominalMicro?: bigint | undefined
}): { costMicro: bigint; estimated: boolean; upstreamCost: UpstreamCost } {
  const { reading, rate, catalogMicro, capUsd, nominalMicro = 0n } = options
  const reported = reading.kind === 'reported' ? reading.usage.costUsd : undefined
  const priced = (costMicro: bigint) => ({
    costMicro,
    estimated: true,
    upstreamCost: listCost(costMicro, rate, catalogMicro !== undefined),
  })
  if (reported === undefined) return priced(catalogMicro ?? nominalMicro)
  const usd = decimal(reported)
  const costMicro = toMicro(usd, rate)
  if (isBelievable(usd, { costMicro, catalogMicro, capUsd })) {
    return { costMicro, estimated: false, upstreamCost: reportedUpstreamCost(reported) }
  }
  // The cap, not a nominal sum: else the dearest work of all would be the cheapest.
  const mostMicro = capUsd === undefined ? nominalMicro : toMicro(capUsd, rate)
  return priced(catalogMicro ?? mostMicro)
}

/** What a price means that we had to work out ourselves: `exact` when what it is for was counted. */
export function listCost(priceMicro: bigint, rate: Rate, exact: boolean): UpstreamCost {
  return { nusd: nusdOfPrice(priceMicro, rate), basis: exact ? 'list' : 'estimated' }
}

/** A report of more than this many times the catalog's price is in the wrong unit. */
const BELIEVABLE_TIMES = 10n
/**
 * Upstreams have a smallest charge of their own, whatever the catalog says. In dollars: what a credit
 * is worth is a setting.
 */
const SMALL_USD = decimal('0.003')

function isBelievable(
  usd: Decimal,
  {
    costMicro,
    catalogMicro,
    capUsd,
  }: {
    costMicro: bigint
    catalogMicro: bigint | undefined
    capUsd: Decimal | undefined
  },
): boolean {
  if (compare(usd, SMALL_USD) <= 0) return true
  if (capUsd !== undefined && compare(usd, capUsd) <= 0) return true
  return catalogMicro !== undefined && costMicro <= catalogMicro * BELIEVABLE_TIMES
}

/** An upstream whose reports have to be replaced by estimates is worth the operator's attention. */
export function logUnusable(log: Log, model: string, reading: UsageReading): void {
  if (reading.kind !== 'unusable') return
  log.warn('An upstream reported usage that cannot be believed.', { model, reason: reading.reason })
}

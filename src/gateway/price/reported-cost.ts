import { nusdOfPrice, reportedUpstreamCost, toMicro, type Rate } from '../../ledger/money.ts'
import { compare, decimal, times, type Decimal } from '../../lib/decimal.ts'
import type { UpstreamCost } from '../../ledger/upstream-cost.ts'
import type { UsageReading } from '../../upstream/contract/usage.ts'

/**
 * The upstream's reported cost at the model's rate; the catalog's price where the report is missing
 * or implausible. A reported zero is zero. `capUsd` is for calls without a sure catalog price: a
 * report up to it is accepted.
 */
export function reportedCost(options: {
  reading: UsageReading
  rate: Rate
  /** Undefined: no price to compare with. */
  catalogMicro: bigint | undefined
  capUsd?: Decimal | undefined
  /** Charged when nothing is known. */
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
  // The cap, not the nominal amount: else the most expensive work would be the cheapest.
  const mostMicro = capUsd === undefined ? nominalMicro : toMicro(capUsd, rate)
  return priced(catalogMicro ?? mostMicro)
}

/** Our own cost, computed from the price; `exact` when the usage was counted. */
export function listCost(priceMicro: bigint, rate: Rate, exact: boolean): UpstreamCost {
  return { nusd: nusdOfPrice(priceMicro, rate), basis: exact ? 'list' : 'estimated' }
}

/** A higher report is taken for one in a wrong unit. */
const BELIEVABLE_TIMES = 10n
/** Upstreams have a minimum charge. In dollars, since the value of a credit is a setting. */
const SMALL_USD = decimal('0.003')

/** Of a sum that the catalog knows. */
export function mostBelievable(catalogUsd: Decimal): Decimal {
  const most = times(catalogUsd, decimal(BELIEVABLE_TIMES))
  return compare(most, SMALL_USD) > 0 ? most : SMALL_USD
}

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

/** What a call cost us, in nano-dollars, and how that is known. */
export type UpstreamCost = { nusd: bigint; basis: CostBasis }

/**
 * `reported`: the upstream said so. `list`: by the catalog's price, for what the upstream counted.
 * `estimated`: by the catalog's price, for what we had to estimate.
 */
type CostBasis = 'reported' | 'list' | 'estimated'

/** What a call cost us, in nano-dollars, and how that is known. */
export type UpstreamCost = { nusd: bigint; basis: CostBasis }

/**
 * `reported`: the upstream said so. `list`: by the catalog's price, for what the upstream counted.
 * `estimated`: by the catalog's price, for what we had to estimate.
 */
export const COST_BASES = ['reported', 'list', 'estimated'] as const
type CostBasis = (typeof COST_BASES)[number]

import type { CostBounds } from '../../ledger/commands.ts'
import { greater } from '../../ledger/money.ts'
import type { UsualCost } from '../bill/rows.ts'
import type { CostEstimate } from './cost-estimate.ts'

/**
 * What covers the first of these and whichever may come after it: of each amount the most. Whether
 * an answer can be watched is said of the first, which is the one that is asked. A model that costs
 * nothing holds nothing.
 */
export function dearestOf(estimates: readonly CostEstimate[]): CostEstimate | undefined {
  const [first] = estimates
  if (first?.bounds === undefined || estimates.length === 1) return first
  return { ...first, ...amounts(estimates), ...boundsOf(estimates), exact: exactOf(estimates) }
}

type Bounded = Pick<CostEstimate, 'bounds' | 'usual'>

function exactOf(estimates: readonly CostEstimate[]): CostEstimate['exact'] {
  if (estimates.every(({ exact }) => exact === undefined)) return undefined
  return () => boundsOf(estimates.map((one) => one.exact?.() ?? one))
}

function boundsOf(all: readonly Bounded[]): Bounded {
  const usual = all.flatMap((one) => one.usual ?? [])
  return {
    bounds: dearestBounds(all.flatMap((one) => one.bounds ?? [])),
    usual: usual.length === 0 ? undefined : dearestUsual(usual),
  }
}

function dearestBounds(all: readonly CostBounds[]): CostBounds {
  return {
    minimumMicro: most(all, ({ minimumMicro }) => minimumMicro),
    committedMicro: most(all, ({ committedMicro }) => committedMicro),
    initialLimitMicro: most(all, ({ initialLimitMicro }) => initialLimitMicro),
    worstCaseMicro: most(all, ({ worstCaseMicro }) => worstCaseMicro),
    fixed: all[0]!.fixed,
    rough: all.some(({ rough }) => rough),
  }
}

function dearestUsual(all: readonly UsualCost[]): UsualCost {
  return {
    ...amounts(all),
    promptMicro: most(all, ({ promptMicro }) => promptMicro),
    certainMicro: most(all, ({ certainMicro }) => certainMicro),
    bounds: dearestBounds(all.map(({ bounds }) => bounds)),
    anySize: all.some(({ anySize }) => anySize),
  }
}

type Amounts = Pick<CostEstimate, 'estimateMicro' | 'minimumMicro'>

function amounts(all: readonly Amounts[]): Amounts {
  return {
    estimateMicro: most(all, ({ estimateMicro }) => estimateMicro),
    minimumMicro: most(all, ({ minimumMicro }) => minimumMicro),
  }
}

function most<One>(all: readonly One[], amountOf: (one: One) => bigint): bigint {
  return all.map(amountOf).reduce(greater)
}

import type { Decimal } from '../../lib/decimal.ts'
import { rateOn } from './fx.ts'
import { figuresOf, type Figures, type Conversion } from './margin.ts'
import type { Overview } from './overview.ts'
import type { CostSum, ReceivedSum, RefundSum } from './overview-store.ts'

export type Received = { amountTzs: bigint; count: number; feesTzs: bigint; feesUnknown: number }

/** The figures of a period, divided in every way that they can be. */
export type OverviewFigures = {
  total: Figures & Received
  days: (Figures & Received & { day: string; tzsPerUsd: Decimal })[]
  /** Without the fees of providers, which belong to no model. */
  models: (Figures & { model: string })[]
  /** Without refunds as well. */
  upstreams: (Figures & { upstream: string })[]
  networks: (Received & { network: string | null })[]
}

/** What the settings say about money. */
export type MoneySettings = { creditsPerTzs: Decimal; tzsPerUsd: Decimal }

export function conversionOf(overview: Overview, settings: MoneySettings): Conversion {
  const { creditsPerTzs, tzsPerUsd } = settings
  return { creditsPerTzs, rateOn: rateOn(overview.rates, tzsPerUsd) }
}

export function overviewFigures(overview: Overview, settings: MoneySettings): OverviewFigures {
  const { costs, received, refunds } = overview
  const conversion = conversionOf(overview, settings)
  const whole = (part: TradePart) => {
    const money = receivedOf(part.received)
    return { ...partFigures(part, conversion, money.feesTzs), ...money }
  }
  const ofDay = parted({ costs, received, refunds }, ({ day }) => day)
  const ofModel = parted({ costs, refunds, received: [] }, ({ model }) => model)
  const ofUpstream = parted({ costs, refunds: [], received: [] }, ({ upstream }) => upstream)
  return {
    total: whole({ costs, received, refunds }),
    days: [...ofDay].map(([day, part]) => ({
      day,
      tzsPerUsd: conversion.rateOn(day),
      ...whole(part),
    })),
    models: [...ofModel].map(([model, part]) => ({ model, ...partFigures(part, conversion) })),
    upstreams: [...ofUpstream].map(([upstream, part]) => ({
      upstream,
      ...partFigures(part, conversion),
    })),
    networks: [...Map.groupBy(received, ({ network }) => network)].map(([network, rows]) => ({
      network,
      ...receivedOf(rows),
    })),
  }
}

export type TradePart = { costs: CostSum[]; refunds: RefundSum[]; received: ReceivedSum[] }

/** The same rows by a name that they all have, in the order of the names. */
export function parted(whole: TradePart, nameOf: (row: CostSum) => string): Map<string, TradePart> {
  // What is not of a call has no upstream and no kind: it is not given where those are asked for.
  const name = nameOf as (row: object) => string
  const costs = Map.groupBy(whole.costs, name)
  const refunds = Map.groupBy(whole.refunds, name)
  const received = Map.groupBy(whole.received, name)
  const names = new Set([...costs.keys(), ...refunds.keys(), ...received.keys()])
  return new Map(
    [...names].sort().map((one) => [
      one,
      {
        costs: costs.get(one) ?? [],
        refunds: refunds.get(one) ?? [],
        received: received.get(one) ?? [],
      },
    ]),
  )
}

export function partFigures(
  { costs, refunds }: TradePart,
  conversion: Conversion,
  feesTzs = 0n,
): Figures {
  const refundedMicro = refunds.reduce((sum, one) => sum + one.amountMicro, 0n)
  return figuresOf(costs, conversion, { refundedMicro, feesTzs })
}

export function receivedOf(rows: ReceivedSum[]): Received {
  const sum = (pick: (one: ReceivedSum) => number) =>
    rows.reduce((total, one) => total + pick(one), 0)
  return {
    amountTzs: rows.reduce((total, one) => total + one.amountTzs, 0n),
    count: sum((one) => one.count),
    feesTzs: rows.reduce((total, one) => total + one.feesTzs, 0n),
    feesUnknown: sum((one) => one.feesUnknown),
  }
}

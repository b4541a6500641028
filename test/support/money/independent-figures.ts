import assert from 'node:assert/strict'
import type { Tx } from '../../../src/db/db.ts'
import { dayAt } from '../../../src/lib/days.ts'
import type { Loose } from '../loose.ts'

/*
 * The figures of the overview once more, row by row from the ledger, the records and the payments,
 * as plainly as possible. A credit is a shilling here.
 */

type Sums = {
  requests: bigint
  failed: bigint
  usedMicro: bigint
  giftMicro: bigint
  refundedMicro: bigint
  uncollectedMicro: bigint
  waivedMicro: bigint
  nusd: bigint
  notReportedNusd: bigint
  /** In 10^-15 shillings: a nano-dollar times a millionth of a rate. */
  upstreamFemtoTzs: bigint
  receivedTzs: bigint
  payments: bigint
  feesTzs: bigint
}

export type Independent = { total: Sums; days: Map<string, Sums>; models: Map<string, Sums> }

const nothing = (): Sums => ({
  requests: 0n,
  failed: 0n,
  usedMicro: 0n,
  giftMicro: 0n,
  refundedMicro: 0n,
  uncollectedMicro: 0n,
  waivedMicro: 0n,
  nusd: 0n,
  notReportedNusd: 0n,
  upstreamFemtoTzs: 0n,
  receivedTzs: 0n,
  payments: 0n,
  feesTzs: 0n,
})

export async function independentFigures(
  db: Tx,
  options: { zone: string; tzsPerUsd(day: string): string },
): Promise<Independent> {
  const { zone } = options
  const figures: Independent = { total: nothing(), days: new Map(), models: new Map() }
  const add = (day: string, model: string | undefined, more: Partial<Sums>) => {
    const places = [figures.total, placeIn(figures.days, day)]
    if (model !== undefined) places.push(placeIn(figures.models, model))
    for (const place of places) {
      for (const [name, amount] of Object.entries(more)) place[name as keyof Sums] += amount
    }
  }
  const used = await replayLedger(db, (entry) => {
    if (entry.type === 'refund') {
      add(dayAt(entry.created_at, zone), entry.description, { refundedMicro: entry.amount_micro })
    }
  })
  const lost = new Map(
    (
      await db.query<{ id: string; micro: bigint }>(
        'select reference_id as id, amount_micro as micro from uncollected',
      )
    ).map((row) => [row.id, row.micro]),
  )
  for (const record of await db.query<Loose>('select * from activity_records')) {
    const day = dayAt(record.created_at as Date, zone)
    const nusd = (record.upstream_cost_nusd as bigint | null) ?? 0n
    const paid = used.get(record.id as string) ?? { micro: 0n, giftMicro: 0n }
    used.delete(record.id as string)
    add(day, record.model as string, {
      requests: 1n,
      failed: record.status === 'failed' ? 1n : 0n,
      usedMicro: paid.micro,
      giftMicro: paid.giftMicro,
      uncollectedMicro: lost.get(record.id as string) ?? 0n,
      waivedMicro: record.waived_micro as bigint,
      nusd,
      notReportedNusd: record.cost_basis === 'reported' ? 0n : nusd,
      upstreamFemtoTzs: nusd * millionths(options.tzsPerUsd(day)),
    })
    lost.delete(record.id as string)
  }
  assert.deepEqual([...used.keys(), ...lost.keys()], [], 'every charge and loss has its record')
  for (const payment of await db.query<Loose>(
    `select * from payments where status = 'completed'`,
  )) {
    add(dayAt(payment.completed_at as Date, zone), undefined, {
      receivedTzs: payment.amount_tzs as bigint,
      payments: 1n,
      feesTzs: (payment.fee_tzs as bigint | null) ?? 0n,
    })
  }
  return figures
}

type EntryRow = {
  id: string
  account_id: string
  type: string
  amount_micro: bigint
  description: string
  created_at: Date
}

/** Gifts first: how much each charge took, and how much of it had been given. */
async function replayLedger(db: Tx, look: (entry: EntryRow) => void) {
  const used = new Map<string, { micro: bigint; giftMicro: bigint }>()
  let [account, gift, bought] = ['', 0n, 0n]
  for (const entry of await db.query<EntryRow>(
    `select id, account_id, type, amount_micro, description, created_at
     from ledger_entries order by account_id, ordinal`,
  )) {
    if (entry.account_id !== account) [account, gift, bought] = [entry.account_id, 0n, 0n]
    const { type, amount_micro: amount } = entry
    if (type === 'usage') {
      const giftMicro = -amount < gift ? -amount : gift
      used.set(entry.id, { micro: -amount, giftMicro })
      gift -= giftMicro
      bought += amount + giftMicro
    } else if (type === 'signup_bonus' || (type === 'adjustment' && amount > 0n)) gift += amount
    else {
      bought += amount
      if (bought < 0n) [gift, bought] = [gift + bought, 0n]
    }
    look(entry)
  }
  return used
}

function placeIn(places: Map<string, Sums>, name: string): Sums {
  const known = places.get(name) ?? nothing()
  places.set(name, known)
  return known
}

function millionths(rate: string): bigint {
  const [whole, fraction = ''] = rate.split('.')
  return BigInt(whole! + fraction.padEnd(6, '0'))
}

/** Compares what the API shows with it, to the microcredit and the millionth of a shilling. */
export function assertOverview(data: Loose, figures: Independent): void {
  const { total, days, models } = figures
  assertUse(data, total, total.feesTzs, 'all')
  assertMoney(data, total)
  assert.deepEqual(
    data.days.map(({ day }: Loose) => day),
    [...days.keys()].sort(),
  )
  for (const one of data.days) {
    assertUse(one, days.get(one.day)!, days.get(one.day)!.feesTzs, one.day)
    assertMoney(one, days.get(one.day)!)
  }
  assert.deepEqual(
    data.by_model.map(({ model }: Loose) => model),
    [...models.keys()].sort(),
  )
  for (const one of data.by_model) assertUse(one, models.get(one.model)!, 0n, one.model)
}

function assertMoney(shown: Loose, sums: Sums): void {
  const { receivedTzs, payments, feesTzs } = sums
  assert.deepEqual(
    [shown.received_tzs, shown.payments, shown.fees_tzs],
    [receivedTzs, payments, feesTzs].map(Number),
  )
}

function assertUse(shown: Loose, sums: Sums, feesTzs: bigint, what: string): void {
  const earned = sums.usedMicro - sums.giftMicro - sums.refundedMicro
  const upstream = nearest(sums.upstreamFemtoTzs, 10n ** 9n)
  const margin = nearest(
    (earned - feesTzs * 10n ** 6n) * 10n ** 9n - sums.upstreamFemtoTzs,
    10n ** 9n,
  )
  assert.deepEqual(
    {
      requests: BigInt(shown.requests),
      failed: BigInt(shown.failed_requests),
      used: micro(shown.used_credits),
      gifts: micro(shown.gift_credits),
      refunded: micro(shown.refunded_credits),
      uncollected: micro(shown.uncollected_credits),
      waived: micro(shown.waived_credits),
      earned: micro(shown.earned_tzs),
      nusd: BigInt(Math.round(shown.upstream_usd * 1e9)),
      upstream: micro(shown.upstream_tzs),
      margin: micro(shown.margin_tzs),
    },
    {
      requests: sums.requests,
      failed: sums.failed,
      used: sums.usedMicro,
      gifts: sums.giftMicro,
      refunded: sums.refundedMicro,
      uncollected: sums.uncollectedMicro,
      waived: sums.waivedMicro,
      earned,
      nusd: sums.nusd,
      upstream,
      margin,
    },
    what,
  )
  const share = sums.nusd === 0n ? 0 : Number(sums.notReportedNusd) / Number(sums.nusd)
  assert.ok(Math.abs(shown.not_reported_share - share) < 0.0001, what)
}

function micro(amount: number): bigint {
  return BigInt(Math.round(amount * 1e6))
}

/** Half is away from zero. */
function nearest(amount: bigint, unit: bigint): bigint {
  return amount < 0n ? -nearest(-amount, unit) : (amount * 2n + unit) / (unit * 2n)
}

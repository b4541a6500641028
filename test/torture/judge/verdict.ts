import type { SeenCall } from './history.ts'
import { shown } from './invariants.ts'
import type { Received, World } from '../rig/world.ts'

type Charged = { request_id: string; account_id: string; records: bigint; cost: bigint }

/** Compares what the clients saw with the ledger: I10 and I11. */
export async function brokenHistory(
  world: World,
  seen: readonly SeenCall[],
  paymentsDue: boolean,
  /** Accounts whose calls are not in the history. */
  unwatched: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const rows = await world.db.query<Charged>(
    `select request_id, account_id, count(*) as records,
       (sum(cost_micro) - coalesce((
          select sum(amount_micro) from ledger_entries e
          where e.type = 'refund' and e.reference_id = any(array_agg(r.id::text))), 0))::int8 as cost
     from activity_records r where status = 'completed' group by request_id, account_id`,
  )
  const watched = rows.filter((row) => !unwatched.has(row.account_id))
  const charged = new Map(watched.map((row) => [row.request_id, row]))
  const paid = seen.filter((one) => one.stages !== 0)
  return [
    ...paid.flatMap((one) => brokenAnswer(one, charged)),
    ...brokenKeys(seen, world.received),
    ...unseenCharges(seen, charged),
    ...neverSentUpstream(paid, world.received),
    ...(await brokenPayments(world, paymentsDue)),
  ]
}

/** A good answer has its records and its price; a refusal has none. */
function brokenAnswer(one: SeenCall, charged: Map<string, Charged>): string[] {
  const row = charged.get(one.requestId ?? '')
  if (one.end === 'good') {
    const stages = BigInt(one.stages ?? 1)
    if (row?.records !== stages)
      return [`I10: answered well, but recorded differently: ${about(one, row)}`]
    const { chargedMicro } = one
    if (chargedMicro !== undefined && chargedMicro !== row.cost)
      return [`I10: the answer named another price: ${about(one, row)}`]
  }
  // With a key the answer waits for the retry; `brokenKeys` compares it with the charge.
  const kept = one.idempotencyKey !== undefined
  if (one.end === 'refused' && !kept && row !== undefined && row.cost > 0n) {
    return [`I10: refused, but charged: ${about(one, row)}`]
  }
  return []
}

/** All good answers to one key are one answer; and where nothing broke, one call went upstream. */
function brokenKeys(seen: readonly SeenCall[], received: Map<string, Received>): string[] {
  const broken: string[] = []
  for (const [key, all] of Map.groupBy(seen, (one) => one.idempotencyKey)) {
    if (key === undefined) continue
    const good = all.filter((one) => one.end === 'good')
    const texts = new Set(good.map((one) => one.text))
    if (texts.size > 1)
      broken.push(`I4: ${key} was answered in ${texts.size} ways: ${about(all[0]!)}`)
    const ids = new Set(good.map((one) => one.requestId))
    if (ids.size > 1 && good[0]!.stages !== 0) broken.push(`I4: ${key} ran ${ids.size} times`)
    const { mark } = all[0]!
    const quiet = all.every((one) => one.end === 'good' || one.status === 409)
    const calls = received.get(mark ?? '')?.calls
    if (mark !== undefined && quiet && good.length > 0 && calls !== undefined && calls !== 1) {
      broken.push(`I11: ${key} went upstream ${calls} times`)
    }
  }
  return broken
}

/** A charge nobody saw can only belong to a call whose answer was lost. */
function unseenCharges(seen: readonly SeenCall[], charged: Map<string, Charged>): string[] {
  const known = new Set(seen.map((one) => one.requestId))
  const unseen = Map.groupBy(
    [...charged.values()].filter((row) => !known.has(row.request_id)),
    (row) => row.account_id,
  )
  const lost = Map.groupBy(
    seen.filter((one) => one.load !== 'topup' && (one.end === 'broken' || one.end === 'left')),
    (one) => one.accountId,
  )
  return [...unseen].flatMap(([accountId, rows]) => {
    const most = lost.get(accountId)?.length ?? 0
    return rows.length > most
      ? [`I10: ${accountId} has ${rows.length} charges for ${most} lost calls`]
      : []
  })
}

/** A good answer without a call to the upstream. */
function neverSentUpstream(paid: SeenCall[], received: Map<string, Received>): string[] {
  return paid
    .filter((one) => one.end === 'good' && one.mark !== undefined && !received.has(one.mark))
    .map((one) => `I11: charged without an upstream call: ${about(one)}`)
}

/** By the provider's own records, each payment was pushed at most once, and paid ones are credited. */
async function brokenPayments({ db, money }: World, due: boolean): Promise<string[]> {
  const ours = await db.query<{ reference: string; status: string; review: string | null }>(
    `select reference, status, review, amount_tzs, provider_ref, accepted_at, checks, next_check_at,
       checking_until, created_at from payments`,
  )
  const theirs = Map.groupBy(money.control.payments(), (one) => one.callerRef)
  return ours.flatMap((payment) => {
    const { reference, status, review } = payment
    const pushed = theirs.get(reference) ?? []
    if (pushed.length > 1) return [`I7: ${reference} was pushed ${pushed.length} times`]
    const [one] = pushed
    const right = one?.status === 'completed' && one.collected === one.amount
    const paid = right && one.collectedCurrency === one.currency
    if (status === 'completed' && !paid) return [`I7: ${reference} was credited and never paid`]
    if (due && paid && status !== 'completed' && review === null) {
      return [`I12: ${reference} was paid and is ${status}: ${shown(payment)}`]
    }
    return []
  })
}

function about(one: SeenCall, row?: Charged): string {
  return shown({ ...one, text: one.text?.slice(0, 100), row: row ?? null })
}

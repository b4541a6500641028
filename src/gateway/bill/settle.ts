import { costsOf } from '../../activity/activity-store.ts'
import type { ActivityRecord } from '../../activity/record.ts'
import { keepEarly } from '../../idempotency/replay-store.ts'
import { patiently } from '../../ledger/posting-queue.ts'
import type { Billing } from './billing.ts'
import type { DoubtfulCharge } from './doubtful-charges.ts'
import { postedReceipt, settlePosting } from './postings.ts'
import {
  sumMicro,
  type BillIds,
  type BillLine,
  type BillOrder,
  type Receipt,
  type Settlement,
} from './rows.ts'

/**
 * Commits the charge, though the database may go away for a moment. None when the hold was gone, or
 * the claim on the key no longer ours: then nothing was charged.
 */
export async function settleSurely(
  { db, queue, clock }: Pick<Billing, 'db' | 'queue' | 'clock'>,
  order: BillOrder,
  ids: BillIds,
  settlement: Settlement,
): Promise<Receipt | undefined> {
  const { lines, records, keep } = settlement
  const draft = keep?.answer(wholeCharge(ids, lines))
  const early = draft && (await patiently(() => keepEarly(db, keep!.claim, draft)))
  return queue.submitSurely(settlePosting(clock, order, ids, settlement, early), {
    fromPosted: postedReceipt,
    fromDatabase: () => recordedReceipt({ db }, records),
  })
}

/** Nearly always the receipt: only an account that runs out of credits pays less. */
function wholeCharge({ holdId }: BillIds, lines: BillLine[]): Receipt {
  const costs = holdId === undefined ? [] : lines.map(({ costMicro }) => costMicro)
  return { chargedMicro: sumMicro(costs), remainingMicro: undefined }
}

/** What the records say, if all of them were written. */
async function recordedReceipt(
  { db }: Pick<Billing, 'db'>,
  records: ActivityRecord[],
): Promise<Receipt | undefined> {
  const ids = records.map((one) => one.id)
  const costs = await costsOf(db, ids)
  const known = ids.flatMap((id) => costs.get(id) ?? [])
  if (known.length < ids.length) return undefined
  return { chargedMicro: sumMicro(known), remainingMicro: undefined }
}

/** Should the charge have been committed after all, it is given back. */
export function doubtfulCharge(
  order: BillOrder,
  holdId: string,
  records: ActivityRecord[],
): DoubtfulCharge {
  const { accountId } = order.principal
  const { model, workspaceId } = records[0]!
  return { accountId, holdId, recordIds: records.map((one) => one.id), model, workspaceId }
}

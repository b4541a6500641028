import type { Outcome } from '../../ledger/commands.ts'
import { greater } from '../../ledger/money.ts'
import type { Billing } from './billing.ts'
import {
  extendHold,
  guessedBounds,
  holdWithin,
  interrupted,
  type PlacedHold,
} from './place-hold.ts'
import type { BillOrder, CallPosting } from './rows.ts'

/** For a job: its row and its hold are one commit, before anything is done for it. */
export async function holdForJob(
  billing: Billing,
  order: BillOrder,
  job: { id: string; deadline: Date } & Pick<CallPosting, 'writes' | 'onlyIf'>,
): Promise<void> {
  billing.weigh?.(order)
  const { id, deadline, writes, onlyIf } = job
  if (order.estimateMicro === 0n && order.minimumMicro === 0n) {
    const { accountId } = order.principal
    const { replaced } = await billing.queue.submit({ accountId, writes, onlyIf })
    if (replaced) throw interrupted()
    return
  }
  const held = {
    writes: (outcome: Outcome | undefined) => (outcome?.kind === 'held' ? writes!(outcome) : []),
  }
  await holdWithin(billing, order, { holdId: id, owner: { job: id, deadline }, ...held, onlyIf })
}

/** The hold of a job goes on, with the limit that it has. */
export async function adoptHold(
  billing: Billing,
  order: BillOrder,
  holdId: string,
): Promise<PlacedHold> {
  const limitMicro = await extendHold(billing, order, holdId, 0n)
  // It is gone, or nobody can be asked.
  if (limitMicro === 0n) throw interrupted()
  const { usual, bounds: exact } = order.bounds?.rough ? { ...order, ...order.exact!() } : order
  if (exact === undefined || limitMicro >= exact.worstCaseMicro) {
    return { callLimit: undefined, committed: Promise.resolve() }
  }
  const bounds = usual === undefined ? exact : guessedBounds(usual, limitMicro)
  const ceilingMicro = bounds.fixed ? limitMicro : greater(limitMicro, bounds.worstCaseMicro)
  return { callLimit: { bounds, limitMicro, ceilingMicro }, committed: Promise.resolve() }
}

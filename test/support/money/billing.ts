import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { insertRecords } from '../../../src/activity/activity-store.ts'
import type { Db } from '../../../src/db/db.ts'
import { Allowance } from '../../../src/gateway/bill/allowance.ts'
import { openBilling, type Billing } from '../../../src/gateway/bill/billing.ts'
import { openDoubtfulCharges } from '../../../src/gateway/bill/doubtful-charges.ts'
import { interruptedRecords } from '../../../src/gateway/bill/interrupted.ts'
import type { BillOrder } from '../../../src/gateway/bill/rows.ts'
import { sweeper, type SweeperOptions } from '../../../src/ledger/sweeper.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { silentLog } from '../../../src/lib/log.ts'

type Inputs = Parameters<typeof openBilling>[0]

/** What bills are written with, as the service has it: of a process of its own, without notices. */
export async function billingOn(db: Db, inputs: Partial<Inputs> = {}): Promise<Billing> {
  return openBilling({
    db,
    doubtfulCharges: inputs.doubtfulCharges ?? noDoubts(db),
    processId: uuidv7(),
    guessAllowance: async () => undefined,
    clock: systemClock,
    log: silentLog,
    timeZone: 'UTC',
    noteBalances: async () => {},
    isNews: () => false,
    unconfirmedCapMicro: 0n,
    ...inputs,
  })
}

/** As the service has it, of a process of its own. */
export function allowanceOn(
  db: Db,
  options: Partial<ConstructorParameters<typeof Allowance>[0]> = {},
): Allowance {
  return new Allowance({
    db,
    clock: systemClock,
    log: silentLog,
    freeMicro: 100_000_000n,
    timeZone: 'UTC',
    tightened: async () => false,
    tellOwner: async () => {},
    ...options,
  })
}

function noDoubts(db: Db) {
  const dataDir = join(tmpdir(), `mlango-billing-${uuidv7()}`)
  return openDoubtfulCharges({ db, dataDir, log: silentLog })
}

/** An order that nobody ends from outside. */
export function unwatched<Order extends Omit<BillOrder, 'abort'>>(order: Order): Order & BillOrder {
  return { ...order, abort() {} }
}

/** One round of the sweeper, of a process without holds or of one that is given. */
export async function sweep(
  db: Db,
  options: { own?: SweeperOptions['own']; forgottenAfterMs?: number } = {},
): Promise<void> {
  const job = sweeper({
    db,
    log: silentLog,
    own: NOBODY,
    claimed: async () => new Set(),
    onReleased: (tx, holds) => insertRecords(tx, interruptedRecords(holds, new Date()), 'UTC'),
    ...options,
  })
  await job.run(new AbortController().signal)
}

/** A process that has no holds. */
export const NOBODY = { processId: uuidv7(), openHolds: new Set<string>() }

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '../../src/db/db.ts'
import { openBilling, type Billing } from '../../src/gateway/bill/billing.ts'
import { openDoubtfulCharges } from '../../src/gateway/bill/doubtful-charges.ts'
import type { BillOrder } from '../../src/gateway/bill/rows.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'

type Inputs = Parameters<typeof openBilling>[0]

/** What bills are written with, as the service has it: of a process of its own, without notices. */
export async function billingOn(db: Db, inputs: Partial<Inputs> = {}): Promise<Billing> {
  return openBilling({
    db,
    doubtfulCharges: inputs.doubtfulCharges ?? (await noDoubts(db)),
    processId: uuidv7(),
    clock: systemClock,
    log: silentLog,
    timeZone: 'UTC',
    noteBalances: async () => {},
    isNews: () => false,
    unconfirmedCapMicro: 0n,
    ...inputs,
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

/** A process that has no holds. */
export const NOBODY = { processId: uuidv7(), openHolds: new Set<string>() }

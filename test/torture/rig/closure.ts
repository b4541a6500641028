import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FORGOTTEN_MS, LATE_MS, LEASE_MS, SWEEP_MS } from './faults.ts'
import type { World } from './world.ts'

/**
 * Liveness: within a lease and two sweeps everything that was interrupted is closed, but for holds
 * that were executed late: of these a living process learns later.
 */
export async function awaitClosure(
  { db, money, folder }: World,
  paymentsWithinS: number,
): Promise<void> {
  const openHolds = `select id from holds where owner_process is null or owner_process not in
    (select id from processes where beat_at > now() - interval '20 s')`
  const uncredited = `select id from payments where status = 'pending' and reference = any($1::text[])`
  await untilEmpty(() => db.query(openHolds), LEASE_MS + 2 * SWEEP_MS)
  await untilEmpty(() => db.query('select id from holds'), LATE_MS + FORGOTTEN_MS)
  await untilEmpty(() => readdir(join(folder, 'doubtful-charges')).catch(() => []), 15_000)
  await untilEmpty(() => db.query(uncredited, [paidReferences(money)]), paymentsWithinS * 1_000)
}

async function untilEmpty(rows: () => Promise<unknown[]>, withinMs: number): Promise<void> {
  const untilMs = performance.now() + withinMs
  while (performance.now() < untilMs && (await rows()).length > 0) await sleep(250)
}

function paidReferences(money: World['money']): string[] {
  return money.control
    .payments()
    .filter((one) => one.status === 'completed' && one.collected === one.amount)
    .filter((one) => one.collectedCurrency === one.currency)
    .map((one) => one.callerRef)
}

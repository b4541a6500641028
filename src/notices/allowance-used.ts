import type { Db } from '../db/db.ts'
import { noteAllowanceTold } from './notices-store.ts'
import type { NoticeData } from './notice.ts'
import { notify } from './notices.ts'

const DAY_MS = 24 * 3_600_000

/** Tells an owner that what is left from now on is charged; once in 24 hours. */
export async function tellAllowanceUsed(
  db: Db,
  notice: { accountId: string; at: Date; data: NoticeData['allowance.used'] },
): Promise<void> {
  const { accountId, at, data } = notice
  const before = new Date(at.getTime() - DAY_MS)
  await db.begin(async (tx) => {
    if (!(await noteAllowanceTold(tx, { accountId, at, before }))) return
    await notify(tx, { accountId, type: 'allowance.used', data })
  })
}

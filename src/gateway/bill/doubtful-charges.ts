import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { costsOf } from '../../activity/activity-store.ts'
import { applyCommands, openHolds } from '../../billing/ledger-store.ts'
import type { Db } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'

/** A charge that may have been committed, although its caller was told that the call failed. */
export type Debt = {
  accountId: string
  holdId: string
  recordIds: string[]
  model: string
  workspaceId?: string
}

/** Nobody pays for an answer that never came: such a charge is given back. */
export type Debts = {
  /** On the disk before the caller is told: the database is away, and we may be gone before it is back. */
  note(debt: Debt): Promise<void>
  /** Gives back what turned out to be charged, once, whoever wrote it down. */
  pay(): Promise<void>
}

export function openDebts(options: { db: Db; folder: string; log: Log }): Debts {
  const { db, folder, log } = options
  // Beside the files, for a disk that is full.
  const noted = new Map<string, Debt>()

  /** One that cannot be paid keeps nobody behind it waiting; a database that is away keeps all. */
  async function paid(debt: Debt): Promise<boolean> {
    try {
      return await payOne(db, debt)
    } catch (error) {
      if (error instanceof Failure && error.kind === 'unavailable') throw error
      log.error('A charge in doubt cannot be given back.', { job: debt.holdId, error })
      return false
    }
  }

  return {
    async note(debt) {
      noted.set(debt.holdId, debt)
      try {
        await write(folder, debt)
      } catch (error) {
        log.error('A charge in doubt could not be written down.', { error })
      }
    },
    async pay() {
      const written = await readAll(folder, log)
      for (const [holdId, debt] of new Map([...noted, ...written])) {
        if (!(await paid(debt))) continue
        noted.delete(holdId)
        if (written.has(holdId)) await rm(fileOf(folder, holdId), { force: true })
      }
    },
  }
}

/** False while the hold is open: whoever closes it, by charging or not, decides. */
async function payOne(db: Db, debt: Debt): Promise<boolean> {
  if ((await openHolds(db, [debt.holdId])).size > 0) return false
  const costs = await costsOf(db, debt.recordIds)
  const amountMicro = [...costs.values()].reduce((sum, one) => sum + one, 0n)
  if (amountMicro === 0n) return true
  const { accountId, model, workspaceId } = debt
  const recordId = debt.recordIds[0]!
  const entry = {
    id: uuidv7(),
    type: 'refund' as const,
    key: `refund:${recordId}`,
    description: model,
    reference: { type: 'activity', id: recordId },
    ...(workspaceId === undefined ? {} : { workspaceId }),
  }
  await db.begin((tx) => applyCommands(tx, [{ kind: 'grant', accountId, amountMicro, entry }]))
  return true
}

function fileOf(folder: string, holdId: string): string {
  return path.join(folder, `${holdId}.json`)
}

/** Written aside, flushed and renamed: whoever reads it finds all of it. */
async function write(folder: string, debt: Debt): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const aside = path.join(folder, `.${debt.holdId}.part`)
  const file = await open(aside, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(debt))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(aside, fileOf(folder, debt.holdId))
}

async function readAll(folder: string, log: Log): Promise<Map<string, Debt>> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
  const debts = new Map<string, Debt>()
  for (const name of names) {
    try {
      const debt = JSON.parse(await readFile(path.join(folder, name), 'utf8')) as Debt
      debts.set(debt.holdId, debt)
    } catch (error) {
      // Another process on the same folder may have paid it meanwhile.
      if ((error as { code?: unknown }).code === 'ENOENT') continue
      log.error('A charge in doubt cannot be read.', { job: name, error })
    }
  }
  return debts
}

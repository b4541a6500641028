import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { costsOf } from '../../activity/activity-store.ts'
import { applyCommands, openHolds } from '../../ledger/ledger-store.ts'
import type { Db } from '../../db/db.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { isUnavailable } from '../../ledger/posting-queue.ts'
import { sumMicro } from './rows.ts'

/** A charge that may have been committed, although its caller was told that the call failed. */
export type DoubtfulCharge = {
  accountId: string
  holdId: string
  recordIds: string[]
  model: string
  workspaceId?: string | undefined
}

/** Nobody pays for an answer that never came: such a charge is given back. */
export type DoubtfulCharges = {
  /** On disk before the caller is told: the database is away, and we may be gone before it is back. */
  note(charge: DoubtfulCharge): Promise<void>
  /** Gives back what turned out to be charged, once, whichever process noted it. */
  giveBack(): Promise<void>
}

const FOLDER = 'doubtful-charges'

export function openDoubtfulCharges(options: {
  db: Db
  dataDir: string
  log: Log
}): DoubtfulCharges {
  const { db, dataDir, log } = options
  const folder = path.join(dataDir, FOLDER)
  // Beside the files, for a disk that is full.
  const noted = new Map<string, DoubtfulCharge>()

  /** One that cannot be given back does not hold up the others; an absent database stops them all. */
  async function isDone(charge: DoubtfulCharge): Promise<boolean> {
    try {
      return await giveBackOne(db, charge)
    } catch (error) {
      if (isUnavailable(error)) throw error
      log.error('A doubtful charge could not be refunded; it will be tried again.', {
        hold_id: charge.holdId,
        error,
      })
      return false
    }
  }

  return {
    async note(charge) {
      noted.set(charge.holdId, charge)
      try {
        await write(folder, charge)
      } catch (error) {
        log.error('A doubtful charge could not be written to disk.', { error })
      }
    },
    async giveBack() {
      const written = await readAll(folder, log)
      for (const [holdId, charge] of new Map([...noted, ...written])) {
        if (!(await isDone(charge))) continue
        noted.delete(holdId)
        if (written.has(holdId)) await rm(fileOf(folder, holdId), { force: true })
      }
    },
  }
}

/** False while the hold is open: whoever closes it, by charging or not, decides. */
async function giveBackOne(db: Db, charge: DoubtfulCharge): Promise<boolean> {
  if ((await openHolds(db, [charge.holdId])).size > 0) return false
  const costs = await costsOf(db, charge.recordIds)
  const amountMicro = sumMicro([...costs.values()])
  if (amountMicro === 0n) return true
  const { accountId, model, workspaceId } = charge
  const recordId = charge.recordIds[0]!
  const entry = {
    id: uuidv7(),
    type: 'refund' as const,
    key: `refund:${recordId}`,
    description: model,
    reference: { type: 'activity', id: recordId },
    workspaceId,
  }
  await db.begin((tx) => applyCommands(tx, [{ kind: 'grant', accountId, amountMicro, entry }]))
  return true
}

function fileOf(folder: string, holdId: string): string {
  return path.join(folder, `${holdId}.json`)
}

/** Written aside, flushed and renamed: whoever reads it finds all of it. */
async function write(folder: string, charge: DoubtfulCharge): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const aside = path.join(folder, `.${charge.holdId}.part`)
  const file = await open(aside, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(charge))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(aside, fileOf(folder, charge.holdId))
}

async function readAll(folder: string, log: Log): Promise<Map<string, DoubtfulCharge>> {
  const charges = new Map<string, DoubtfulCharge>()
  for (const name of await notesIn(folder)) {
    try {
      const text = await readFile(path.join(folder, name), 'utf8').catch(unlessGone)
      if (text === undefined) continue
      const charge = JSON.parse(text) as DoubtfulCharge
      charges.set(charge.holdId, charge)
    } catch (error) {
      log.error('The note of a doubtful charge could not be read.', { job: name, error })
    }
  }
  return charges
}

async function notesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => name.endsWith('.json'))
}

/** Another process on the same folder may have dealt with it meanwhile. */
function unlessGone(error: unknown): undefined {
  if ((error as { code?: unknown }).code !== 'ENOENT') throw error
  return undefined
}

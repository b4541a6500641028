import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openHome } from '../../../src/db/local/home.ts'
import type { Random } from '../load/random.ts'
import { openDisk, type Survival } from './disk.ts'
import { readJournal } from './journal.ts'
import type { openRecorder } from './recorder.ts'

/** A place in a journal, and what of the unsynced survives a cut there. */
export type Cut = Survival & { at: number }

/** A server that started, worked and was killed, and the disk at any moment of that. */
export type Life = {
  journal: Buffer
  readyAt: number
  megabytes: number
  acknowledgedBy(at: number): string[]
  /** Makes the folder of a cut, later than the ones before, for the time of `work`. */
  cutAt<T>(cut: Cut, work: (dataDir: string) => Promise<T>): Promise<T>
  /** The folder of the last cut once more, to live on. */
  continued(): string
  position(): number
  unsyncedKb(): number
  /** What the folder holds and the journal does not, or the reverse. */
  differences(): string[]
  drop(): void
}

type LifeOptions = {
  folder: string
  recorder: ReturnType<typeof openRecorder>
  accounts: string[]
  random: Random
  /** The life whose last cut this one starts from; else it is a first start. */
  before?: Life | undefined
  settings?: Record<string, string>
  end?: 'SIGKILL' | 'SIGTERM'
}

/** Small, so that the log is cut and its files are used again within one life. */
const SETTINGS = { max_wal_size: '32MB', min_wal_size: '32MB' }

export async function liveOnce(options: LifeOptions): Promise<Life> {
  const { folder, recorder, accounts, random, before, end = 'SIGKILL' } = options
  const dataDir = before?.continued() ?? newFolder(folder)
  const disk = openDisk(dataDir)
  const recording = recorder.record(dataDir, { ...SETTINGS, ...options.settings }, accounts)
  const readyAt = await recording.ready
  await sleep(random.between(1_500, 3_500))
  await recording.end(end)
  const journal = recording.journal()
  let position = 0
  let last: Cut | undefined
  const advance = (to: number) => {
    for (const { op } of readJournal(journal, position, to)) disk.apply(op)
    position = to
  }
  const made = (cut: Cut) => {
    const where = newFolder(folder)
    disk.writeTo(where, cut)
    giveToServer(where)
    return where
  }
  return {
    journal,
    readyAt,
    megabytes: Math.round(journal.length / 1e6),
    acknowledgedBy: recording.acknowledgedBy,
    async cutAt(cut, work) {
      advance(cut.at)
      last = cut
      const where = made(cut)
      return work(where).finally(() => rmSync(where, { recursive: true, maxRetries: 5 }))
    },
    continued: () => made(last!),
    position: () => position,
    unsyncedKb: () => Math.round(disk.unsyncedBytes() / 1e3),
    differences() {
      advance(journal.length)
      return disk.differences(dataDir)
    },
    drop: () => rmSync(dataDir, { recursive: true, maxRetries: 5 }),
  }
}

/** As the service makes it: a server that is another user must be able to enter. */
function newFolder(folder: string): string {
  const path = mkdtempSync(join(folder, 'data-'))
  chmodSync(path, 0o711)
  return path
}

/** Owners are not part of the model; what was the server's own goes back to it. */
function giveToServer(dataDir: string): void {
  const { uid, gid } = openHome(dataDir).as
  if (uid === undefined || gid === undefined) return
  for (const name of ['postgres', 'postgres.new', 'run']) {
    const folder = join(dataDir, name)
    if (!existsSync(folder)) continue
    for (const part of ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })])
      chownSync(join(folder, part), uid, gid)
  }
}

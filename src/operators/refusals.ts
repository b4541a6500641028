import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import { addRefusals, type Refusal, type Refusals } from './refusals-store.ts'

const HOUR_MS = 3_600_000
const WAIT_MS = 1_000
/** Rows that may wait to be written; beyond it refusals are only counted. */
const MOST_WAITING = 1_000

export type RefusalLog = {
  /** Counts it and writes it within about a second. Never throws, never waits. */
  note(refusal: Refusal): void
  /** Writes what waits. */
  flush(): Promise<void>
}

/**
 * Who was refused. Any customer can cause these, so they are not in the chained audit log,
 * which is locked for each row and kept for ever. One statement a second at most, whatever arrives.
 */
export function openRefusals({ db, log, now }: { db: Db; log: Log; now(): Date }): RefusalLog {
  let waiting = new Map<string, Refusals>()
  let beyond = 0
  let writing: Promise<void> | undefined
  const write = async () => {
    const refusals = [...waiting.values()]
    waiting = new Map()
    if (beyond > 0) log.warn('More were refused as operators than are listed.', { count: beyond })
    beyond = 0
    if (refusals.length > 0) await addRefusals(db, refusals)
  }
  const writeSoon = async () => {
    await wait(WAIT_MS, undefined, { ref: false })
    writing = undefined
    await write().catch((error: unknown) =>
      log.error('It could not be written who was refused as an operator.', { error }),
    )
  }
  return {
    note(refusal) {
      const at = now()
      const known = refusalsAt(at, refusal)
      const key = `${known.hour.getTime()} ${refusal.accountId} ${refusal.why}`
      const before = waiting.get(key)
      if (before === undefined && waiting.size >= MOST_WAITING) beyond += 1
      else waiting.set(key, before ? { ...known, ...sumWith(before) } : known)
      writing ??= writeSoon()
    },
    flush: write,
  }
}

function sumWith({ count, firstAt }: Refusals) {
  return { count: count + 1, firstAt }
}

export function refusalsAt(at: Date, refusal: Refusal): Refusals {
  const hour = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS)
  return { ...refusal, hour, count: 1, firstAt: at, lastAt: at }
}

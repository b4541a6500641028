import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Db, Tx } from '../../db/db.ts'
import type { BackgroundJob } from '../../lib/clock.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { insertMessage } from '../../notices/outbox-store.ts'
import { tellWebhooks } from '../../webhooks/events.ts'
import type { LogHead } from '../audit-log.ts'
import { takeHead, type ToldHead } from './audit-heads-store.ts'

type Parts = { db: Db; config: { DATA_DIR: string; AUDIT_HEAD_TO?: string | undefined } }

const EVERY_MS = 60_000

/**
 * Tells the last link of the log to whoever keeps it elsewhere, each hour in which something was
 * logged: into a file, to the webhooks that want it, and by mail. What is known elsewhere cannot be
 * written anew, nor cut off, unseen.
 */
export function auditHeadJob({ db, config }: Parts): BackgroundJob {
  const { DATA_DIR, AUDIT_HEAD_TO: to } = config
  const run = () =>
    db.begin(async (tx) => {
      const head = await takeHead(tx)
      if (head === undefined) return
      await tellWebhooks(tx, {
        type: 'audit.head',
        data: { seq: Number(head.seq), hash: head.hash },
      })
      if (to !== undefined) await mail(tx, to, head)
      // Before the commit: what was not written is told again.
      write(headsFile(DATA_DIR), head)
    })
  return { name: 'audit-head', everyMs: EVERY_MS, run }
}

/** The heads that this machine has noted; of what others noted, it knows nothing. */
export function readHeads(dataDir: string): LogHead[] {
  const file = headsFile(dataDir)
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [, seq, hash] = /^\S+ (\d{1,18}) ([0-9a-f]{64})$/.exec(line) ?? []
    return seq === undefined || hash === undefined ? [] : [{ seq: BigInt(seq), hash }]
  })
}

function headsFile(dataDir: string): string {
  return join(dataDir, 'audit-heads.txt')
}

function write(file: string, head: ToldHead): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  appendFileSync(file, `${lineOf(head)}\n`, { mode: 0o600, flush: true })
}

function mail(tx: Tx, to: string, head: ToldHead): Promise<void> {
  const subject = `Mlango: the operators' log ends with action ${head.seq}`
  const text = `${lineOf(head)}\n\nKeep this. It shows later that nothing before it was changed:\ndocs/operations.md, "Operators".\n`
  return insertMessage(tx, { id: uuidv7(), channel: 'email', to, subject, text })
}

function lineOf({ at, seq, hash }: ToldHead): string {
  return `${at.toISOString()} ${seq} ${hash}`
}

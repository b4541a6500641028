import type { Db, Tx } from '../db/db.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { Failure } from '../lib/failure.ts'
import { sha256 } from '../lib/secrets.ts'
import type { Actor } from './actor.ts'
import {
  insertAuditEvent,
  lockLog,
  readAuditEventsAfter,
  readLogEnd,
  wasReadLately,
  type LoggedEvent,
} from './audit-log-store.ts'
import { refusalsAt } from './refusals.ts'
import { addRefusals } from './refusals-store.ts'

/** What the log says of an action. Names and addresses of customers do not belong here. */
export type AuditEvent = {
  action: string
  target: { type: string; id: string }
  reason?: string | undefined
  before?: object | undefined
  after?: object | undefined
  amountMicro?: bigint | undefined
}

export type RecordEvent = (event: AuditEvent) => Promise<void>

/**
 * Runs an operator's action in one transaction with its rows in the log. The log is locked first,
 * always, so that two actions never deadlock. An action that changes nothing need not record
 * anything; one that a rule forbids is recorded as a refusal.
 */
export async function withAuditLog<T>(
  db: Db,
  actor: Actor,
  work: (tx: Tx, record: RecordEvent) => Promise<T>,
): Promise<T> {
  try {
    return await db.begin(async (tx) => {
      await lockLog(tx)
      return work(tx, (event) => append(tx, actor, event))
    })
  } catch (error) {
    if (error instanceof Failure && error.kind === 'forbidden') {
      await noteForbidden(db, actor, error.message)
    }
    throw error
  }
}

/**
 * That somebody has looked at what is a customer's: once an hour for each reader and target, so that
 * a page which is read again and again does not fill the log.
 */
export async function noteRead(db: Db, actor: Actor, event: ReadEvent): Promise<void> {
  const by = { operatorId: actor.operatorId, operator: actor.name }
  const lately = (tx: Tx) => wasReadLately(tx, { ...by, action: event.action, ...event.target })
  if (await lately(db)) return
  await withAuditLog(db, actor, async (tx, record) => {
    if (!(await lately(tx))) await record(event)
  })
}

export type ReadEvent = Pick<AuditEvent, 'target' | 'after'> & { action: `read.${string}` }

async function noteForbidden(db: Db, actor: Actor, rule: string): Promise<void> {
  const { operatorId: accountId, address = '', requestId = '' } = actor
  if (accountId === null) return
  const refusal = { accountId, why: 'rule', what: rule, address, requestId } as const
  await addRefusals(db, [refusalsAt(new Date(), refusal)])
}

async function append(tx: Tx, actor: Actor, event: AuditEvent): Promise<void> {
  const end = await lockLog(tx)
  const logged: LoggedEvent = {
    seq: end.seq + 1n,
    at: end.now,
    operatorId: actor.operatorId,
    operator: actor.name,
    action: event.action,
    targetType: event.target.type,
    targetId: event.target.id,
    reason: event.reason ?? null,
    before: event.before ?? null,
    after: event.after ?? null,
    amountMicro: event.amountMicro ?? null,
    requestId: actor.requestId ?? null,
  }
  await insertAuditEvent(tx, logged, hashOf(logged, end.hash))
}

function hashOf(event: LoggedEvent, previous: Buffer): Buffer {
  const { seq, at, amountMicro, ...rest } = event
  const text = canonicalJson({
    ...rest,
    seq: String(seq),
    at: at.toISOString(),
    amountMicro: amountMicro === null ? null : String(amountMicro),
    previous: previous.toString('hex'),
  })
  return sha256(text)
}

export type LogCheck = {
  actions: bigint
  /** The last hash: whoever keeps it elsewhere can prove that nothing before it has changed. */
  end: string
  finding: string | undefined
}

const PIECE = 1_000

/** A link of the chain as it was noted elsewhere. */
export type LogHead = { seq: bigint; hash: string }

/**
 * Follows the chain from its beginning, past the heads that were noted elsewhere. Says where it first
 * breaks, since all after that does.
 */
export async function checkAuditLog(db: Db, heads: readonly LogHead[] = []): Promise<LogCheck> {
  const noted = new Map(heads.map((head) => [head.seq, head.hash]))
  return db.begin(async (tx) => {
    await tx.script('set transaction isolation level repeatable read, read only')
    const end = await readLogEnd(tx)
    let seq = 0n
    let hash: Buffer = Buffer.alloc(0)
    const broken = (finding: string) => ({ actions: seq, end: hash.toString('hex'), finding })
    for (;;) {
      const piece = await readAuditEventsAfter(tx, seq, PIECE)
      for (const one of piece) {
        if (one.event.seq !== seq + 1n) return broken(`Action ${seq + 1n} is missing.`)
        if (!hashOf(one.event, hash).equals(one.hash)) {
          return broken(`Action ${one.event.seq} was changed after it was written.`)
        }
        seq = one.event.seq
        hash = one.hash
        if ((noted.get(seq) ?? hash.toString('hex')) !== hash.toString('hex')) {
          return broken(
            `Action ${seq} is not the one whose hash was noted: the log was written anew.`,
          )
        }
      }
      if (piece.length < PIECE) break
    }
    if (seq !== end.seq || !hash.equals(end.hash)) {
      return broken(`The log should end with action ${end.seq}, and ends with action ${seq}.`)
    }
    const cut = heads.find((head) => head.seq > seq)
    if (cut) return broken(`Action ${cut.seq} was noted, and the log ends with action ${seq}.`)
    return { actions: seq, end: hash.toString('hex'), finding: undefined }
  })
}

import type { Db, Tx } from '../db/db.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { Failure } from '../lib/failure.ts'
import { sha256 } from '../lib/secrets.ts'
import type { Actor } from './actor.ts'
import {
  insertAction,
  lockLog,
  readActionsAfter,
  readLogEnd,
  type Action,
} from './actions-store.ts'
import { refusalsAt } from './refusals.ts'
import { addRefusals } from './refusals-store.ts'

/** What is written down of an act. Names and addresses of customers do not belong here. */
export type Deed = {
  action: string
  target: { type: string; id: string }
  reason?: string | undefined
  before?: unknown
  after?: unknown
  amountMicro?: bigint | undefined
}

/**
 * Runs an act in one transaction with its row in the log. The log is locked first, in every act, so
 * that two acts never wait for each other in a circle. An act that changes nothing records nothing;
 * one that a rule forbids is among what was refused.
 */
export async function act<T>(
  db: Db,
  actor: Actor,
  work: (tx: Tx, record: (deed: Deed) => Promise<void>) => Promise<T>,
): Promise<T> {
  try {
    return await db.begin(async (tx) => {
      await lockLog(tx)
      return work(tx, (deed) => record(tx, actor, deed))
    })
  } catch (error) {
    if (error instanceof Failure && error.kind === 'forbidden') {
      await noteForbidden(db, actor, error.message)
    }
    throw error
  }
}

async function noteForbidden(db: Db, actor: Actor, rule: string): Promise<void> {
  const { operatorId: accountId, address = '', requestId = '' } = actor
  if (accountId === null) return
  const refusal = { accountId, why: 'rule', what: rule, address, requestId } as const
  await addRefusals(db, [refusalsAt(new Date(), refusal)])
}

async function record(tx: Tx, actor: Actor, deed: Deed): Promise<void> {
  const end = await lockLog(tx)
  const action: Action = {
    seq: end.seq + 1n,
    at: end.now,
    operatorId: actor.operatorId,
    operator: actor.name,
    action: deed.action,
    targetType: deed.target.type,
    targetId: deed.target.id,
    reason: deed.reason ?? null,
    before: deed.before ?? null,
    after: deed.after ?? null,
    amountMicro: deed.amountMicro ?? null,
    requestId: actor.requestId ?? null,
  }
  await insertAction(tx, action, hashOf(action, end.hash))
}

function hashOf(action: Action, previous: Buffer): Buffer {
  const { seq, at, amountMicro, ...rest } = action
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

/** Follows the chain from its beginning. Says where it first breaks, since all after that does. */
export async function checkActionLog(db: Db): Promise<LogCheck> {
  return db.begin(async (tx) => {
    await tx.script('set transaction isolation level repeatable read, read only')
    const end = await readLogEnd(tx)
    let seq = 0n
    let hash: Buffer = Buffer.alloc(0)
    const broken = (finding: string) => ({ actions: seq, end: hash.toString('hex'), finding })
    for (;;) {
      const piece = await readActionsAfter(tx, seq, PIECE)
      for (const one of piece) {
        if (one.action.seq !== seq + 1n) return broken(`Action ${seq + 1n} is missing.`)
        if (!hashOf(one.action, hash).equals(one.hash)) {
          return broken(`Action ${one.action.seq} was changed after it was written.`)
        }
        seq = one.action.seq
        hash = one.hash
      }
      if (piece.length < PIECE) break
    }
    if (seq !== end.seq || !hash.equals(end.hash)) {
      return broken(`The log should end with action ${end.seq}, and ends with action ${seq}.`)
    }
    return { actions: seq, end: hash.toString('hex'), finding: undefined }
  })
}

import {
  bytes,
  columns,
  int8,
  json,
  mapped,
  orNull,
  text,
  time,
  type RowOf,
} from '../db/columns.ts'
import type { Tx } from '../db/db.ts'

export type LogEnd = { seq: bigint; hash: Buffer }

/** An audit event as it is stored, and as its hash sees it. */
const EVENT = columns({
  seq: int8,
  at: time,
  /** The account of the operator; null for a command. */
  operatorId: orNull(text),
  operator: text,
  action: text,
  targetType: text,
  targetId: text,
  reason: orNull(text),
  before: json<unknown>(),
  after: json<unknown>(),
  amountMicro: orNull(int8),
  requestId: orNull(text),
})
export type LoggedEvent = RowOf<typeof EVENT>

/** The end of the log stays locked until the commit, so that events are in order. */
export async function lockLog(tx: Tx): Promise<LogEnd & { now: Date }> {
  const [row] = await tx.read<{ seq: bigint; hash: Uint8Array; now: Date }>(
    `select seq, hash, date_trunc('milliseconds', clock_timestamp()) as now
     from operator_log for update`,
  )
  return { seq: row!.seq, hash: Buffer.from(row!.hash), now: row!.now }
}

/** False before the first start. */
export async function hasLog(tx: Tx): Promise<boolean> {
  const [row] = await tx.read<{ there: boolean }>(
    `select to_regclass('operator_log') is not null as there`,
  )
  return row!.there
}

export async function readLogEnd(tx: Tx): Promise<LogEnd> {
  const [row] = await tx.read<{ seq: bigint; hash: Uint8Array }>(
    'select seq, hash from operator_log',
  )
  return { seq: row!.seq, hash: Buffer.from(row!.hash) }
}

export async function insertAuditEvent(tx: Tx, event: LoggedEvent, hash: Buffer): Promise<void> {
  const json = (value: unknown) => ((value ?? null) === null ? null : JSON.stringify(value))
  await tx.query(
    `insert into operator_actions (seq, at, operator_id, operator, action, target_type, target_id,
       reason, before, after, amount_micro, request_id, hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9::jsonb, $10::jsonb, $11, $12, $13)`,
    [
      event.seq,
      event.at,
      event.operatorId,
      event.operator,
      event.action,
      event.targetType,
      event.targetId,
      event.reason,
      json(event.before),
      json(event.after),
      event.amountMicro,
      event.requestId,
      hash,
    ],
  )
  await tx.query('update operator_log set seq = $1, hash = $2', [event.seq, hash])
}

export type AuditEventFilter = {
  operatorId: string | undefined
  targetId: string | undefined
  action: string | undefined
  /** Only what came before this one. */
  before: bigint | undefined
  /** Also what was only looked at. */
  reads: boolean
  limit: number
}

/** Newest first. */
export async function listAuditEvents(tx: Tx, filter: AuditEventFilter): Promise<LoggedEvent[]> {
  const rows = await tx.read(
    `select * from operator_actions
     where ($1::uuid is null or operator_id = $1) and ($2::text is null or target_id = $2)
       and ($3::text is null or action = $3) and ($4::int8 is null or seq < $4)
       and ($6 or $3 is not null or action not like 'read.%')
     order by seq desc limit $5`,
    [
      filter.operatorId ?? null,
      filter.targetId ?? null,
      filter.action ?? null,
      filter.before ?? null,
      filter.limit,
      filter.reads,
    ],
  )
  return EVENT.all(rows)
}

export async function wasReadLately(
  tx: Tx,
  read: { operatorId: string | null; operator: string; action: string; type: string; id: string },
): Promise<boolean> {
  const rows = await tx.read(
    `select from operator_actions where target_type = $1 and target_id = $2 and action = $3
       and operator_id is not distinct from $4::uuid and operator = $5
       and at > now() - interval '1 hour' limit 1`,
    [read.type, read.id, read.action, read.operatorId, read.operator],
  )
  return rows.length > 0
}

/** A piece of the log in its order, with the hashes. */
export async function readAuditEventsAfter(
  tx: Tx,
  seq: bigint,
  limit: number,
): Promise<{ event: LoggedEvent; hash: Buffer }[]> {
  const rows = await tx.read(
    'select * from operator_actions where seq > $1 order by seq limit $2',
    [seq, limit],
  )
  return rows.map((row) => ({
    event: EVENT.from(row),
    hash: HASH.from(row).hash,
  }))
}

/** How much an operator alone, and all of them each alone, have moved by hand within a day, up or down. */
export async function adjustedToday(
  tx: Tx,
  operatorId: string,
): Promise<{ ownMicro: bigint; allMicro: bigint }> {
  const [row] = await tx.read<{ own: bigint; all: bigint }>(
    `select coalesce(sum(abs(amount_micro)) filter (where operator_id = $1), 0)::int8 as own,
       coalesce(sum(abs(amount_micro)), 0)::int8 as all
     from operator_actions
     where amount_micro is not null and at > now() - interval '24 hours'
       and action = 'account.adjust' and operator_id is not null`,
    [operatorId],
  )
  return { ownMicro: row!.own, allMicro: row!.all }
}

/** How often an operator did this within a day. */
export async function countToday(tx: Tx, operatorId: string, action: string): Promise<number> {
  const [row] = await tx.read<{ count: number }>(
    `select count(*)::int4 as count from operator_actions
     where operator_id = $1 and action = $2 and at > now() - interval '24 hours'`,
    [operatorId, action],
  )
  return row!.count
}

const HASH = columns({ hash: mapped(bytes, (hash) => Buffer.from(hash)) })

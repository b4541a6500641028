import type { Row, Tx } from '../../db/db.ts'
import type { CodePurpose } from '../../notices/language.ts'

export type CodeChannel = 'email' | 'phone' | 'totp'

export type CodeRow = {
  id: string
  channel: CodeChannel
  accountId: string | null
  codeHmac: Uint8Array | null
}

export const CODE_LIFE_S = 600
export const COOL_DOWN_S = 60
const TRIES_PER_CODE = 5

export type NewCode = {
  id: string
  subject: Buffer
  purpose: CodePurpose
  channel: CodeChannel
  accountId: string | null
  codeHmac: Buffer | null
}

/**
 * Replaces the code before it. False during the cool-down, which ends early once the code has been
 * used; an authenticator's challenge sends nothing, so it has no cool-down.
 */
export async function putCode(tx: Tx, code: NewCode): Promise<boolean> {
  const rows = await tx.query(
    `insert into codes as c (id, subject, purpose, channel, account_id, code_hmac, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + ${CODE_LIFE_S} * interval '1 second')
     on conflict (subject, purpose) do update set
       id = excluded.id, channel = excluded.channel, account_id = excluded.account_id,
       code_hmac = excluded.code_hmac, tries = 0, sent_at = now(),
       expires_at = excluded.expires_at, used_at = null
     where c.used_at is not null or excluded.channel = 'totp' or c.channel = 'totp'
       or c.sent_at <= now() - ${COOL_DOWN_S} * interval '1 second'
     returning id`,
    [code.id, code.subject, code.purpose, code.channel, code.accountId, code.codeHmac],
  )
  return rows.length === 1
}

/** A challenge that can still be answered: not used, not expired, tries left. */
export async function findLiveCode(
  tx: Tx,
  subject: Buffer,
  purpose: CodePurpose,
): Promise<(CodeRow & { leftS: number }) | undefined> {
  const [row] = await tx.read(
    `select *, extract(epoch from expires_at - now())::float8 as left_s from codes
     where subject = $1 and purpose = $2 and ${LIVE}`,
    [subject, purpose],
  )
  return row && { ...codeFrom(row), leftS: Math.floor(row.left_s as number) }
}

export async function findCode(
  tx: Tx,
  subject: Buffer,
  purpose: CodePurpose,
): Promise<CodeRow | undefined> {
  const [row] = await tx.read('select * from codes where subject = $1 and purpose = $2', [
    subject,
    purpose,
  ])
  return row && codeFrom(row)
}

/** Seconds until another code may be sent; 0 when one may be sent now. */
export async function coolDownLeft(tx: Tx, subject: Buffer, purpose: CodePurpose): Promise<number> {
  const [row] = await tx.read<{ left_s: number }>(
    `select greatest(0, ceil(${COOL_DOWN_S} - extract(epoch from now() - sent_at)))::float8 as left_s
     from codes where subject = $1 and purpose = $2 and used_at is null and channel <> 'totp'`,
    [subject, purpose],
  )
  return row?.left_s ?? 0
}

/** Takes one of the five tries, atomically over all processes. */
export async function takeCodeTry(
  tx: Tx,
  wanted: { subject: Buffer; purpose: CodePurpose; challengeId: string | undefined },
): Promise<CodeRow | undefined> {
  const [row] = await tx.query(
    `update codes set tries = tries + 1
     where subject = $1 and purpose = $2 and ($3::uuid is null or id = $3) and ${LIVE}
     returning *`,
    [wanted.subject, wanted.purpose, wanted.challengeId ?? null],
  )
  return row && codeFrom(row)
}

/** True for the first caller only; false also once a code with a new id has replaced it. */
export async function useCode(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    'update codes set used_at = now() where id = $1 and used_at is null returning id',
    [id],
  )
  return rows.length === 1
}

/** The codes of a deleted account no longer work; their cool-downs stay. */
export async function voidCodes(tx: Tx, accountId: string): Promise<void> {
  await tx.query('update codes set account_id = null, code_hmac = null where account_id = $1', [
    accountId,
  ])
}

export async function trimCodes(tx: Tx): Promise<void> {
  await tx.query(`delete from codes where expires_at < now() - interval '1 day'`)
}

const LIVE = `used_at is null and expires_at > now() and tries < ${TRIES_PER_CODE}`

function codeFrom(row: Row): CodeRow {
  return {
    id: row.id as string,
    channel: row.channel as CodeChannel,
    accountId: row.account_id as string | null,
    codeHmac: row.code_hmac as Uint8Array | null,
  }
}

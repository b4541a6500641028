import { as, bool, bytes, columns, int, oneOf, orNull, text, type RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'
import { deleteOldest } from '../../db/purge-store.ts'
import type { CodePurpose } from '../../notices/language.ts'

export type CodeChannel = 'email' | 'phone' | 'totp'

const CODE = columns({
  id: text,
  channel: oneOf<CodeChannel>(),
  /** Null for an identifier that nobody is waiting to verify: its cool-down counts all the same. */
  accountId: orNull(text),
  /** The mark of whoever asked for it. */
  asker: text,
  codeHmac: orNull(bytes),
})
export type CodeRow = RowOf<typeof CODE>

export type CodeSubject = { subject: Buffer; purpose: CodePurpose }

export const CODE_LIFE_S = 600
export const COOL_DOWN_S = 60
/** Of whoever asked for it, and as many of everybody else together. */
const TRIES_PER_CODE = 5

export type NewCode = CodeSubject & {
  id: string
  channel: CodeChannel
  accountId: string | null
  asker: string
  codeHmac: Buffer | null
  lifeS: number
}

/** Makes requests for codes for one identifier and purpose run one after the other. */
export async function lockCodes(tx: Tx, { subject, purpose }: CodeSubject): Promise<void> {
  await tx.read(`select pg_advisory_xact_lock(hashtextextended($1, 2021))`, [
    `${purpose} ${subject.toString('hex')}`,
  ])
}

/** Replaces the code that the same asker got for the same account, and nobody else's. */
export async function putCode(tx: Tx, code: NewCode): Promise<void> {
  await tx.query(
    `insert into codes (id, subject, purpose, channel, account_id, asker, code_hmac, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, now() + $8::float8 * interval '1 second')
     on conflict (subject, purpose, account_id, asker) do update set
       id = excluded.id, channel = excluded.channel, code_hmac = excluded.code_hmac, tries = 0,
       others_tries = 0, sent_at = now(), expires_at = excluded.expires_at, used_at = null`,
    [
      code.id,
      code.subject,
      code.purpose,
      code.channel,
      code.accountId,
      code.asker,
      code.codeHmac,
      code.lifeS,
    ],
  )
}

/** Every code for one identifier and purpose, of whatever account, the newest first. */
export async function listCodes(tx: Tx, { subject, purpose }: CodeSubject): Promise<CodeState[]> {
  const rows = await tx.read(
    `select ${CODE.list}, ${STATE.list}
     from codes where subject = $1 and purpose = $2 order by sent_at desc, id desc`,
    [subject, purpose],
  )
  return rows.map((row) => ({ ...CODE.from(row), ...STATE.from(row) }))
}

/** The challenge of a login, whatever it was answered with until now. */
export async function findLoginChallenge(
  tx: Tx,
  id: string,
): Promise<(CodeState & { subject: Uint8Array }) | undefined> {
  const [row] = await tx.read(
    `select ${CODE.list}, ${STATE.list}, ${OF.list} from codes
     where id = $1 and purpose = 'login_mfa'`,
    [id],
  )
  return row && { ...CODE.from(row), ...STATE.from(row), ...OF.from(row) }
}

const OF = columns({ subject: bytes })

/**
 * Takes one of the tries of every code that may be answered, atomically over all processes, and
 * returns these. Whoever asked for a code has five tries at it, and everybody else together five:
 * strangers cannot use up the owner's, and no code is compared with more than ten answers.
 */
export async function takeCodeTry(
  tx: Tx,
  wanted: CodeSubject & { challengeId: string | undefined; marks: string[] },
): Promise<CodeRow[]> {
  const rows = await tx.query(
    `update codes set tries = tries + (asker = any($4))::int,
       others_tries = others_tries + (asker <> all($4))::int
     where ${LIVE} and case when asker = any($4) then tries else others_tries end < ${TRIES_PER_CODE}
     and id in (
       select id from codes
       where subject = $1 and purpose = $2 and ($3::uuid is null or id = $3)
       order by id for update)
     returning ${CODE.list}`,
    [wanted.subject, wanted.purpose, wanted.challengeId ?? null, wanted.marks],
  )
  return CODE.all(rows)
}

/** Somebody else's code for the same identifier was good at some time since this account began. */
export async function othersWaited(
  tx: Tx,
  { subject, purpose }: CodeSubject,
  { id, createdAt }: { id: string; createdAt: Date },
): Promise<boolean> {
  const [row] = await tx.read<{ waited: boolean }>(
    `select exists (select from codes where subject = $1 and purpose = $2
       and account_id <> $3 and expires_at > $4) as waited`,
    [subject, purpose, id, createdAt],
  )
  return row!.waited
}

/** True for the first caller only, and only if the code that was tried has not been replaced. */
export async function useCode(tx: Tx, { id, codeHmac }: CodeRow): Promise<boolean> {
  const rows = await tx.query(
    `update codes set used_at = now()
     where id = $1 and used_at is null and code_hmac is not distinct from $2 returning id`,
    [id, codeHmac],
  )
  return rows.length === 1
}

/** The codes of a deleted account no longer work; their cool-downs stay. */
export async function voidCodes(tx: Tx, accountId: string): Promise<void> {
  await tx.query('update codes set code_hmac = null where account_id = $1', [accountId])
}

/** Of every account: nobody can use a code that was asked for before. */
export async function voidEveryCode(tx: Tx): Promise<void> {
  await tx.query('delete from codes')
}

/** Kept a day after they expire, which is longer than any cool-down. */
export function purgeCodes(tx: Tx, batch: number): Promise<number> {
  const where = `expires_at < now() - interval '1 day'`
  return deleteOldest(tx, batch, { table: 'codes', where, order: 'expires_at' })
}

const LIVE = `used_at is null and expires_at > now()`

const STATE = columns({
  /** Not used, not expired. */
  live: as(LIVE, bool),
  /** Wrong answers of whoever asked for it. */
  tries: int,
  leftS: as('floor(extract(epoch from expires_at - now()))::int', int),
  /** Seconds until its asker may be sent another; 0 when it may be sent now. */
  coolDownS: as(
    `case when used_at is null and channel <> 'totp'
      then greatest(0, ceil(${COOL_DOWN_S} - extract(epoch from now() - sent_at)))::int else 0 end`,
    int,
  ),
})
/** A code as it stands now. */
export type CodeState = CodeRow & RowOf<typeof STATE>

/** Whoever asked for it can still answer it. */
export function isOpen({ live, tries }: CodeState): boolean {
  return live && tries < TRIES_PER_CODE
}

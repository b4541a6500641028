import { randomInt } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { hmacSha256, safeEqual } from '../../lib/secrets.ts'
import { codeMessage } from '../../notices/messages.ts'
import { insertMessage } from '../../notices/outbox-store.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { CODE_LIFE_S, findCode, putCode, takeCodeTry } from './codes-store.ts'
import type { CodeChannel, CodeRow, Purpose } from './codes-store.ts'
import { takeTry } from './throttle.ts'

/** A code asked for by one identifier, for one purpose. */
export type Ask = { subject: Buffer; purpose: Purpose; channel: CodeChannel }

/**
 * Makes a code and puts its message in the outbox. Without an account nothing is sent, but the
 * cool-down and the tries count the same. Undefined inside the cool-down.
 */
export async function sendCode(
  room: Accounts,
  tx: Tx,
  letter: { ask: Ask; account?: Account | undefined; to?: string | undefined; id?: string },
): Promise<{ id: string } | undefined> {
  const { ask, account, to, id = uuidv7() } = letter
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const accountId = account?.id ?? null
  const codeHmac = ask.channel === 'totp' ? null : codeMark(room, ask, accountId, code)
  if (!(await putCode(tx, { id, ...ask, accountId, codeHmac }))) return undefined
  if (ask.channel === 'totp') return { id }
  await takeTry(tx, `sends:${ask.purpose}:${ask.subject.toString('hex')}`)
  if (account && to !== undefined) await post(tx, { ask, account, to, code })
  return { id }
}

/**
 * Takes one of the code's tries and holds the code against it. Whoever gets the row back still has
 * to use it up, in the transaction that does what the code allows.
 */
export async function tryCode(
  room: Accounts,
  ask: Ask,
  given: { code: string; challengeId?: string | undefined },
): Promise<CodeRow & { accountId: string }> {
  await takeTry(room.db, wrongCodes(ask.subject))
  const row = await takeCodeTry(room.db, { ...ask, challengeId: given.challengeId })
  if (!row) {
    const any = await findCode(room.db, ask.subject, ask.purpose)
    throw any ? codeExpired() : codeWrong()
  }
  if (row.accountId === null || row.channel !== ask.channel) throw codeWrong()
  const mark = codeMark(room, ask, row.accountId, given.code)
  const right = row.codeHmac !== null && safeEqual(Buffer.from(row.codeHmac), mark)
  if (!right && row.channel !== 'totp') throw codeWrong()
  return { ...row, accountId: row.accountId }
}

export function wrongCodes(subject: Buffer): `wrongCodes:${string}` {
  return `wrongCodes:${subject.toString('hex')}`
}

export function codeWrong(): Failure {
  return new Failure('otp_invalid', 'The code is not right.', { param: 'code' })
}

export function codeExpired(): Failure {
  return new Failure('otp_expired', 'The code is no longer valid. Ask for a new one.', {
    param: 'code',
  })
}

function codeMark(room: Accounts, ask: Ask, accountId: string | null, code: string): Buffer {
  const about = `${ask.purpose}|${ask.channel}|${accountId ?? 'nobody'}|${code}`
  return hmacSha256(room.keys.codes, ask.subject, about)
}

async function post(
  tx: Tx,
  letter: { ask: Ask; account: Account; to: string; code: string },
): Promise<void> {
  const { ask, account, to, code } = letter
  const channel = ask.channel === 'phone' ? 'sms' : 'email'
  const minutes = CODE_LIFE_S / 60
  const { purpose } = ask
  const message = codeMessage({ locale: account.locale, purpose, code, minutes, channel })
  const about = { id: uuidv7(), accountId: account.id, expiresInS: CODE_LIFE_S }
  await insertMessage(tx, { ...about, channel, to, ...message })
}

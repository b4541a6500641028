import { randomInt } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import { Failure, invalidField } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { hmacSha256, safeEqual } from '../../lib/secrets.ts'
import { codeMessage } from '../../notices/messages.ts'
import type { CodePurpose } from '../../notices/language.ts'
import { insertMessage } from '../../notices/outbox-store.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { subjectOf } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import type { Asker } from './asker.ts'
import { CODE_LIFE_S, listCodes, lockCodes, putCode, takeCodeTry } from './codes-store.ts'
import type { CodeChannel, CodeRow, CodeState, CodeSubject } from './codes-store.ts'
import { countSmsCode, reachableAccount } from './sms-codes.ts'
import { codesSent, codeTries, takeTry } from './throttle.ts'
import type { CountedBy, Tries } from './throttle.ts'

/** One identifier, named by its HMAC, asks for a code: what for, and by which channel. */
export type CodeRequest = CodeSubject & { channel: CodeChannel }

export const VERIFY_PURPOSE = { email: 'verify_email', phone: 'verify_phone' } as const

export function codeRequest(
  accounts: Pick<Accounts, 'keys'>,
  who: Identifier,
  purpose: CodePurpose,
  channel: CodeChannel = who.channel,
): CodeRequest {
  return { subject: subjectOf(accounts.keys.identifiers, who.value), purpose, channel }
}

/** Which channels a purpose allows. Login codes belong to the challenge that the login opened. */
export function checkChannel(body: {
  purpose: CodePurpose
  channel: CodeChannel
  challengeId?: string | undefined
}): void {
  const { purpose, channel } = body
  const allowed = {
    verify_email: channel === 'email',
    verify_phone: channel === 'phone',
    reset_password: channel !== 'totp',
    login_mfa: true,
    change_mfa: channel !== 'totp',
    change_email: channel === 'email',
  }
  if (!allowed[purpose]) {
    throw invalidField('channel', `must not be ${channel} when purpose is ${purpose}`)
  }
  if (purpose === 'login_mfa' && body.challengeId === undefined) {
    throw invalidField('challenge_id', 'is required when purpose is login_mfa')
  }
}

export type CodeDelivery = {
  request: CodeRequest
  asker: Asker
  account?: Account | undefined
  /** An email address or a phone number; an authenticator app needs none. */
  to?: string | undefined
  /** Who is counted, where it is not the asker. */
  by?: CountedBy
  /** The id of a challenge that stays the same while its code changes. */
  id?: string | undefined
  /** Shorter where a code is repeated that began to expire earlier. */
  lifeS?: number | undefined
}

/** Sent, or the seconds until it may be. */
export type CodeSent = { id: string; waitS?: undefined } | { id?: undefined; waitS: number }

/**
 * Makes a code and puts its message in the outbox. Without an account nothing is sent, but the
 * cool-down and the sends are counted all the same. Both are the asker's: what others ask keeps
 * nobody waiting. A used code ends its cool-down; an authenticator's challenge has none, because it
 * sends nothing.
 */
export async function sendCode(
  accounts: CodeSender,
  tx: Tx,
  delivery: CodeDelivery,
): Promise<CodeSent> {
  const { request, asker, to, by = asker, id = uuidv7(), lifeS = CODE_LIFE_S } = delivery
  const account = reachableAccount(accounts, { ...request, ...delivery })
  const accountId = account?.id ?? null
  const made = { id, ...request, accountId, asker: asker.key, lifeS }
  await lockCodes(tx, request)
  if (request.channel === 'totp') {
    await putCode(tx, { ...made, codeHmac: null })
    return { id }
  }
  const codes = await listCodes(tx, request)
  const waits = codes
    .filter((code) => (code.accountId === null) === (accountId === null))
    .filter((code) => code.asker === asker.key)
    .map(({ coolDownS }) => coolDownS)
  const waitS = Math.max(0, ...waits)
  if (waitS > 0) return { waitS }
  await takeTry(tx, codesSent(request, by))
  if (request.channel === 'phone') {
    await countSmsCode(accounts, tx, { purpose: request.purpose, account, asker })
  }
  const code = newCode(accounts, request, codes)
  await putCode(tx, { ...made, codeHmac: hmacOf(accounts.keys.codes[0], request, accountId, code) })
  if (account && to !== undefined) {
    await post(accounts, tx, { request, account, to, code, lifeS })
  }
  return { id }
}

/** Throws `rate_limited` during the cool-down. */
export async function requireSendCode(
  accounts: CodeSender,
  tx: Tx,
  delivery: CodeDelivery,
): Promise<void> {
  const { waitS } = await sendCode(accounts, tx, delivery)
  if (waitS !== undefined) throw coolingDown(waitS)
}

export function coolingDown(waitS: number): Failure {
  return new Failure(
    'rate_limited',
    'A code was sent a moment ago. Please wait before requesting another.',
    { retryAfterS: Math.max(1, waitS) },
  )
}

/**
 * A code that was answered rightly, whether by who asked for it, and the count to clear once it has
 * done what it allows.
 */
export type AnsweredCode = CodeRow & { accountId: string; own: boolean; counted: Tries }

/**
 * Takes one of the tries and finds the account whose code this is, among all that wait for the
 * identifier. The caller must then call `useCode`, in the transaction that does what the code allows.
 * For an authenticator only the challenge is checked here; `spendTotp` checks its code.
 */
export async function tryCode(
  accounts: Pick<Accounts, 'db' | 'keys'>,
  request: CodeRequest,
  answer: { code: string; challengeId?: string | undefined; asker: Asker },
): Promise<AnsweredCode> {
  const { challengeId, asker } = answer
  const all = await listCodes(accounts.db, request)
  const counted = codeTries(request.subject, countedBy(asker, all))
  await takeTry(accounts.db, counted)
  const open = await takeCodeTry(accounts.db, { ...request, challengeId, marks: asker.marks })
  const row = open.find((one) => isAnswer(accounts, request, one, answer.code))
  if (row?.accountId) {
    const own = asker.marks.includes(row.asker)
    return { ...row, accountId: row.accountId, own, counted }
  }
  // A code that others may still answer is not compared: it would tell a guess that is right.
  const over = all.some((one) => !one.live && isAnswer(accounts, request, one, answer.code))
  throw over || (open.length === 0 && all.length > 0) ? codeExpired() : codeWrong()
}

/** A device that the account knew when it asked is known when it answers. */
function countedBy(asker: Asker, codes: CodeState[]): CountedBy {
  if (asker.known) return asker
  const mark = asker.marks.find((one) => codes.some((code) => code.asker === one))
  return mark === undefined || mark === asker.key ? asker : { key: mark, known: true }
}

export function codeWrong(): Failure {
  return new Failure('otp_invalid', 'The code is incorrect.', { param: 'code' })
}

export function codeExpired(): Failure {
  return new Failure('otp_expired', 'The code is no longer valid. Please request a new one.', {
    param: 'code',
  })
}

function hmacOf(key: Buffer, request: CodeRequest, accountId: string | null, code: string): Buffer {
  const about = `${request.purpose}|${request.channel}|${accountId ?? 'nobody'}|${code}`
  return hmacSha256(key, request.subject, about)
}

/** Differs from every live code for the same identifier, so that a code names one account. */
function newCode(
  accounts: Pick<Accounts, 'keys'>,
  request: CodeRequest,
  codes: CodeState[],
): string {
  const live = codes.filter((one) => one.live)
  for (;;) {
    const code = String(randomInt(1_000_000)).padStart(6, '0')
    if (!live.some((one) => isAnswer(accounts, request, one, code))) return code
  }
}

function isAnswer(
  accounts: Pick<Accounts, 'keys'>,
  request: CodeRequest,
  row: CodeRow,
  code: string,
): boolean {
  if (row.accountId === null) return false
  // A recovery code goes with any challenge, also after another method was asked for.
  if (request.channel === 'totp') return true
  if (row.channel !== request.channel || row.codeHmac === null) return false
  const stored = Buffer.from(row.codeHmac)
  return accounts.keys.codes.some((key) =>
    safeEqual(stored, hmacOf(key, request, row.accountId, code)),
  )
}

async function post(
  accounts: Pick<Accounts, 'publicUrl'>,
  tx: Tx,
  delivery: { request: CodeRequest; account: Account; to: string; code: string; lifeS: number },
): Promise<void> {
  const { request, account, to, code, lifeS } = delivery
  const channel = request.channel === 'phone' ? 'sms' : 'email'
  const minutes = Math.max(1, Math.floor(lifeS / 60))
  const { purpose } = request
  const host = accounts.publicUrl && new URL(accounts.publicUrl).hostname
  const { locale } = account
  const message = codeMessage({ locale, purpose, code, minutes, channel, host })
  const about = { id: uuidv7(), accountId: account.id, expiresInS: lifeS }
  await insertMessage(tx, { ...about, channel, to, ...message })
}

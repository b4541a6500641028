import { randomInt } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import { Failure, invalidField } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { hmacSha256, safeEqual } from '../../lib/secrets.ts'
import { codeMessage } from '../../notices/messages.ts'
import type { CodePurpose } from '../../notices/language.ts'
import { insertMessage } from '../../notices/outbox-store.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { subjectOf } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { CODE_LIFE_S, coolDownLeft, findCode, putCode, takeCodeTry } from './codes-store.ts'
import type { CodeChannel, CodeRow } from './codes-store.ts'
import { codesSent, codeTries, takeTry } from './throttle.ts'

/** One identifier, named by its HMAC, asks for a code: what for, and by which channel. */
export type CodeRequest = { subject: Buffer; purpose: CodePurpose; channel: CodeChannel }

export const VERIFY_PURPOSE = { email: 'verify_email', phone: 'verify_phone' } as const

export function codeRequest(
  accounts: Accounts,
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
  account?: Account | undefined
  /** An email address or a phone number; an authenticator app needs none. */
  to?: string | undefined
  /** The id of a challenge that stays the same while its code changes. */
  id?: string | undefined
}

/**
 * Makes a code and puts its message in the outbox. Without an account nothing is sent, but the
 * cool-down and the tries count the same. Undefined during the cool-down.
 */
export async function sendCode(
  accounts: Accounts,
  tx: Tx,
  delivery: CodeDelivery,
): Promise<{ id: string } | undefined> {
  const { request, account, to, id = uuidv7() } = delivery
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const accountId = account?.id ?? null
  const codeHmac = request.channel === 'totp' ? null : hmacOf(accounts, request, accountId, code)
  if (!(await putCode(tx, { id, ...request, accountId, codeHmac }))) return undefined
  if (request.channel === 'totp') return { id }
  await takeTry(tx, codesSent(request.purpose, request.subject))
  if (account && to !== undefined) await post(tx, { request, account, to, code })
  return { id }
}

/** Throws `rate_limited` during the cool-down. */
export async function requireSendCode(
  accounts: Accounts,
  tx: Tx,
  delivery: CodeDelivery,
): Promise<void> {
  if (!(await sendCode(accounts, tx, delivery))) throw await coolingDown(tx, delivery.request)
}

export async function coolingDown(tx: Tx, request: CodeRequest): Promise<Failure> {
  const leftS = await coolDownLeft(tx, request.subject, request.purpose)
  return new Failure(
    'rate_limited',
    'A code was sent a moment ago. Please wait before requesting another.',
    { retryAfterS: Math.max(1, leftS) },
  )
}

/**
 * Takes one of the code's tries and compares the code. Whoever gets the row back still has to call
 * `useCode`, in the transaction that does what the code allows. Of an authenticator only the
 * challenge is checked here; `spendTotp` judges its code.
 */
export async function tryCode(
  accounts: Accounts,
  request: CodeRequest,
  answer: { code: string; challengeId?: string | undefined },
): Promise<CodeRow & { accountId: string }> {
  await takeTry(accounts.db, codeTries(request.subject))
  const row = await takeCodeTry(accounts.db, { ...request, challengeId: answer.challengeId })
  if (!row) {
    const dead = await findCode(accounts.db, request.subject, request.purpose)
    throw dead ? codeExpired() : codeWrong()
  }
  if (row.accountId === null || row.channel !== request.channel) throw codeWrong()
  const expected = hmacOf(accounts, request, row.accountId, answer.code)
  const right = row.codeHmac !== null && safeEqual(Buffer.from(row.codeHmac), expected)
  if (!right && row.channel !== 'totp') throw codeWrong()
  return { ...row, accountId: row.accountId }
}

export function codeWrong(): Failure {
  return new Failure('otp_invalid', 'The code is incorrect.', { param: 'code' })
}

export function codeExpired(): Failure {
  return new Failure('otp_expired', 'The code is no longer valid. Please request a new one.', {
    param: 'code',
  })
}

function hmacOf(
  accounts: Accounts,
  request: CodeRequest,
  accountId: string | null,
  code: string,
): Buffer {
  const about = `${request.purpose}|${request.channel}|${accountId ?? 'nobody'}|${code}`
  return hmacSha256(accounts.keys.codes, request.subject, about)
}

async function post(
  tx: Tx,
  delivery: { request: CodeRequest; account: Account; to: string; code: string },
): Promise<void> {
  const { request, account, to, code } = delivery
  const channel = request.channel === 'phone' ? 'sms' : 'email'
  const minutes = CODE_LIFE_S / 60
  const { purpose } = request
  const message = codeMessage({ locale: account.locale, purpose, code, minutes, channel })
  const about = { id: uuidv7(), accountId: account.id, expiresInS: CODE_LIFE_S }
  await insertMessage(tx, { ...about, channel, to, ...message })
}

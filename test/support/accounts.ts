import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before } from 'node:test'
import { createAuthenticator } from '../../src/accounts/authenticator.ts'
import { openAccounts, type Accounts } from '../../src/accounts/accounts.ts'
import type { SessionView } from '../../src/accounts/sessions/sessions.ts'
import type { verifyCode } from '../../src/accounts/sessions/verify.ts'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { apiKeyRoutes } from '../../src/routes/api-keys.ts'
import { authRoutes } from '../../src/routes/auth.ts'
import { meRoutes } from '../../src/routes/me.ts'
import { workspaceRoutes } from '../../src/routes/workspaces.ts'
import { watchAnswers } from './openapi/conformance.ts'
import { freshDb } from './databases.ts'
import { startServer } from './server.ts'
import type { Loose } from './loose.ts'

const MASTER_KEY = 'a master key for tests, long enough'
export const PASSWORD = 'chui mweusi 42'

export type ClientAnswer = { status: number; headers: Headers; body: Loose }
type Ask = { token?: string | undefined; body?: unknown; headers?: Record<string, string> }
export type Client = (line: string, ask?: Ask) => Promise<ClientAnswer>

/** A clock that a test can push forward. */
export function testClock(): Clock & { push(ms: number): void } {
  let ahead = 0
  return {
    now: () => new Date(Date.now() + ahead),
    push: (ms) => {
      ahead += ms
    },
  }
}

export function openTestAccounts(
  db: Db,
  clock: Clock = testClock(),
  env: Record<string, string> = {},
): Promise<Accounts> {
  const config = readConfig({ SIGNUP_BONUS_CREDITS: '100', ...env })
  return openAccounts({ db, config, masterKey: MASTER_KEY, clock, log: silentLog })
}

/** The routes of accounts on a real server. `call('POST /v1/…', {token, body})`. */
export async function startAccounts(
  db: Db,
  clock: Clock = testClock(),
  env: Record<string, string> = {},
) {
  const accounts = await openTestAccounts(db, clock, env)
  const routes = [
    ...authRoutes(accounts),
    ...meRoutes(accounts),
    ...workspaceRoutes(accounts),
    ...apiKeyRoutes(accounts),
  ]
  const service = await startServer({
    routes,
    authenticator: createAuthenticator(accounts),
    settings: { TRUST_PROXY: true },
  })
  const answers = watchAnswers(service.server.http, routes)
  const close = async () => {
    await service.close()
    await answers.check()
  }
  const call = client(service.url)
  return { accounts, call, url: service.url, close, ...people(db, call) }
}

/** The same for a whole test file: opened before its tests, closed after them. */
export function accountsApp(
  clock?: Clock,
  env?: Record<string, string>,
): Awaited<ReturnType<typeof startAccounts>> & { db: Db } {
  const app = {} as ReturnType<typeof accountsApp>
  before(async () => {
    const db = await freshDb()
    Object.assign(app, await startAccounts(db, clock, env), { db })
  })
  after(async () => {
    await app.close()
    await app.db.close()
  })
  return app
}

/** A device elsewhere: headers by which a call comes from this address. */
export function from(address: string, agent = 'another device'): Record<string, string> {
  return { 'x-forwarded-for': address, 'user-agent': agent }
}

/** In the envelope's shape, with this status and code. */
export function refused({ status, body }: ClientAnswer, wanted: number, code: string): void {
  assert.equal(status, wanted, JSON.stringify(body))
  assert.equal(body.error_code, code)
  assert.equal(body.status, 'error')
}

export function client(url: string): Client {
  return async (line, { token, body, headers = {} } = {}) => {
    const [method, path] = line.split(' ') as [string, string]
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: JSON.parse(text) }
  }
}

/** Ways to be somebody, by the front door. Codes are read where they are sent from. */
function people(db: Db, call: Client) {
  const lastCode = (to: string) => codeFor(db, to)
  const registerAs = async (email: string) =>
    call('POST /v1/auth/register', { body: { full_name: 'Asha', email, password: PASSWORD } })
  const signUp = async (email = freshEmail()) => {
    await registerAs(email)
    const body = { identifier: email, channel: 'email', purpose: 'verify_email' }
    const answer = await call('POST /v1/auth/otp/verify', {
      body: { ...body, code: await lastCode(email) },
    })
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
    const session = answer.body.data
    return {
      email,
      id: session.user.id as string,
      token: session.access_token as string,
      refresh: session.refresh_token as string,
    }
  }
  return { lastCode, registerAs, signUp }
}

/** What a code has opened, where there is no second factor. */
export function sessionOf(opened: Awaited<ReturnType<typeof verifyCode>>): SessionView {
  if ('access_token' in opened) return opened
  throw new Error('a second factor is asked for')
}

export function freshEmail(): string {
  return `u${randomBytes(6).toString('hex')}@example.com`
}

let numbers = 0
/**
 * Valid Tanzanian mobile numbers, each once per process. None ends in 00…: to the simulated
 * provider of payments the last four digits say how a payment ends.
 */
export function freshPhone(): string {
  numbers += 1
  return `+25571${String(Date.now() % 1000).padStart(3, '0')}${1000 + (numbers % 9000)}`
}

export async function codeFor(db: Db, to: string): Promise<string> {
  const [row] = await db.query<{ body: string }>(
    'select body from outbox where recipient = $1 order by id desc limit 1',
    [to],
  )
  const code = /\b\d{6}\b/.exec(row?.body ?? '')?.[0]
  if (code === undefined) throw new Error(`no code was sent to ${to}`)
  return code
}

/** As if the last code had been sent a while ago. */
export async function ageCodes(db: Db, seconds: number): Promise<void> {
  await db.query(
    `update codes set sent_at = sent_at - $1::float8 * interval '1 second',
       expires_at = expires_at - $1::float8 * interval '1 second'`,
    [seconds],
  )
}

/** Wrong on purpose. */
export function otherThan(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0')
}

/** The secret of an authenticator, as it is shown. */
export function fromBase32(text: string): Buffer {
  let bits = ''
  for (const letter of text) {
    bits += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')
  }
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
}

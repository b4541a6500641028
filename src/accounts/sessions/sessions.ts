import { randomBytes } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { shownNetwork } from '../../lib/network.ts'
import { notify } from '../../notices/notices.ts'
import { profileOf } from '../account.ts'
import type { Account, Profile } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { placeOf } from '../codes/asker.ts'
import type { Device } from '../codes/asker.ts'
import {
  endAllSessions,
  endSession,
  endSurplusSessions,
  insertSession,
  lockSession,
  signInHistory,
} from '../credentials/sessions-store.ts'
import type { FactorKind, SignInHistory } from '../credentials/sessions-store.ts'
import { ACCESS_LIFE_S } from '../credentials/signing-keys.ts'
import { isOurRefreshToken, readRefreshToken, writeRefreshToken } from '../credentials/tokens.ts'
import { deviceWords } from './device-words.ts'

export type { Device } from '../codes/asker.ts'

/** A session that is in the database, but whose tokens have not been handed out yet. */
export type OpenedSession = {
  account: Account
  id: string
  counter: number
  salt: Uint8Array
  guest: boolean
  /** How long its refresh token can be exchanged. */
  lifeS: number
}

export type SessionView = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  refresh_expires_in: number
  user: Profile
  /** For us, not for the answer. */
  guest?: true
}

/** More than anybody has devices. Beyond it the account's least recently used session ends. */
const MOST_SESSIONS = 100

type SignedIn = {
  account: Account
  device: Device
  /** The owner has been notified of it already. */
  announced?: boolean
  /** The second factor that was given for it. */
  secondFactor?: FactorKind
  /** By a number that the owner has not confirmed: no sign-in, and over when the access token is. */
  guest?: boolean
}

/** The last step of every sign-in: password, code, social, partner. The account must be active. */
export async function openSession(
  accounts: Pick<Accounts, 'clock' | 'keys'>,
  tx: Tx,
  { account, device, announced, secondFactor, guest = false }: SignedIn,
): Promise<OpenedSession> {
  if (account.status !== 'active') throw new Failure('forbidden', INACTIVE[account.status])
  const accountId = account.id
  const place = placeOf(accounts, device)
  const history = await signInHistory(tx, accountId, place)
  const notifies = announced !== true && isNews(history, account, accounts.clock.now())
  const session = { id: uuidv7(), salt: randomBytes(16) }
  const ownerNotified = notifies || announced === true
  const words = { ...deviceWords(device.userAgent), cookie: device.cookie ?? false }
  const seenFrom = shownNetwork(device.address)
  const about = { accountId, place, ownerNotified, secondFactor, guest, seenFrom, ...words }
  const lifeS = await insertSession(tx, { ...session, ...about })
  await endSurplusSessions(tx, accountId, MOST_SESSIONS)
  if (notifies) {
    const data = { address: device.address }
    await notify(tx, { accountId, type: 'security.new_login', data })
  }
  return { account, counter: 0, guest, ...session, lifeS }
}

/** Ended sessions are stored for longer, so an older account without any was not used for a while. */
const NEW_ACCOUNT_MS = 30 * 86_400_000

/**
 * Whether the owner should hear of a sign-in. One from a network that the account has not used is
 * always news, whatever it says of itself. An unknown kind of device in a known network is news once
 * a day: whoever invents a new `User-Agent` each time cannot make us send a message each time.
 */
function isNews(history: SignInHistory, account: Account, now: Date): boolean {
  if (history.none) return now.getTime() - account.createdAt.getTime() > NEW_ACCOUNT_MS
  if (!history.knownNetwork) return true
  return !history.knownDevice && !history.notifiedToday
}

/** Signs the pair of tokens. Call it after the commit. */
export async function presentSession(
  accounts: Pick<Accounts, 'keys' | 'signer'>,
  opened: OpenedSession,
): Promise<SessionView> {
  const { account, id } = opened
  return {
    access_token: await accounts.signer.sign({
      accountId: account.id,
      sessionId: id,
      role: account.role,
    }),
    token_type: 'Bearer',
    expires_in: ACCESS_LIFE_S,
    refresh_token: writeRefreshToken(accounts.keys.refresh[0], opened),
    refresh_expires_in: opened.lifeS,
    user: profileOf(account),
    ...(opened.guest ? { guest: true } : {}),
  }
}

/**
 * Ends every session, the one a refresh token names, or else the caller's own; and whatever session
 * the browser has in its cookie, since that is cleared.
 */
export async function logout(
  accounts: Pick<Accounts, 'db' | 'keys' | 'sessions'>,
  caller: { accountId: string; sessionId: string },
  body: {
    refreshToken?: string | undefined
    cookieToken?: string | undefined
    all?: boolean | undefined
  },
): Promise<void> {
  const { accountId } = caller
  if (body.cookieToken !== undefined) await endCookieSession(accounts, body.cookieToken)
  if (body.all) {
    await accounts.db.begin((tx) => endAllSessions(tx, accountId, 'logout'))
    return accounts.sessions.forget(accountId)
  }
  const id =
    body.refreshToken === undefined
      ? caller.sessionId
      : await sessionOfToken(accounts, accountId, body.refreshToken)
  if (id === undefined) return
  await accounts.db.begin((tx) => endSession(tx, { id, accountId, reason: 'logout' }))
  accounts.sessions.forget(id)
}

export async function endOwnSession(
  accounts: Pick<Accounts, 'db' | 'sessions'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<void> {
  const ended = await accounts.db.begin((tx) => endSession(tx, { id, accountId, reason: 'logout' }))
  if (!ended) throw new Failure('not_found', 'There is no such session.')
  accounts.sessions.forget(id)
}

async function endCookieSession(
  accounts: Pick<Accounts, 'db' | 'keys' | 'sessions'>,
  text: string,
): Promise<void> {
  const token = readRefreshToken(text)
  if (!token) return
  await accounts.db.begin(async (tx) => {
    const session = await lockSession(tx, token.sessionId)
    if (!session?.cookie || !isOurRefreshToken(accounts.keys.refresh, token, session.salt)) return
    await endSession(tx, { id: session.id, accountId: session.accountId, reason: 'logout' })
  })
  accounts.sessions.forget(token.sessionId)
}

const INACTIVE = {
  pending_verification: 'This account is not verified yet.',
  suspended: 'This account is suspended.',
}

/** A token of another account is treated as an unknown one. */
async function sessionOfToken(
  accounts: Pick<Accounts, 'db' | 'keys'>,
  accountId: string,
  text: string,
): Promise<string | undefined> {
  const token = readRefreshToken(text)
  if (!token) return undefined
  const session = await accounts.db.begin((tx) => lockSession(tx, token.sessionId))
  if (session?.accountId !== accountId) return undefined
  return isOurRefreshToken(accounts.keys.refresh, token, session.salt) ? session.id : undefined
}

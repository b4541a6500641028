import type { Tx } from '../../db/db.ts'
import { networkOf } from '../../lib/network.ts'
import { hmacSha256 } from '../../lib/secrets.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findSession, isKnownDevice } from '../credentials/sessions-store.ts'
import type { Place } from '../credentials/sessions-store.ts'
import { isOurRefreshToken, readRefreshToken } from '../credentials/tokens.ts'

/** Where a request comes from: stored are keyed hashes, and words from a fixed list. */
export type Device = {
  address: string
  userAgent: string
  /** The refresh token is in a browser's cookie. */
  cookie?: boolean
  /** What that cookie has: it names a browser even after its session has ended. */
  refreshToken?: string | undefined
  /** The language it asks for: a new account gets its messages in it. */
  locale?: Account['locale'] | undefined
}

/**
 * Whoever asks for a code, or tries a password or a code. Each has counts of its own, so that nobody
 * uses up what another may do.
 */
export type Asker = {
  /** Under which it is counted: a device that the account knows, a session, or a whole network. */
  key: string
  /** It has signed in to the account before, so what strangers do does not slow it. */
  known: boolean
  /** By which it is known again, the surest first. */
  marks: string[]
  address?: string
}

const NOBODY = '00000000-0000-0000-0000-000000000000'

/** `accountId` is the account in question; for an unknown one the same steps are taken. */
export async function askerOf(
  accounts: Pick<Accounts, 'keys'>,
  tx: Tx,
  device: Device,
  accountId: string = NOBODY,
): Promise<Asker> {
  const { address } = device
  const place = placeOf(accounts, device)
  const [kind, network] = [place.device.toString('hex'), place.network.toString('hex')]
  const session = await browserSession(accounts, tx, device.refreshToken)
  const browser = session && sessionMark(accounts, session.id)
  const marks = [...(browser === undefined ? [] : [browser]), kind, network]
  const isKnown = await isKnownDevice(tx, accountId, place.device)
  if (session?.accountId === accountId) return { key: marks[0]!, known: true, marks, address }
  return { key: isKnown ? kind : network, known: isKnown, marks, address }
}

/** Who asks and answers within a session: another session of the account has counts of its own. */
export function sessionAsker(accounts: Pick<Accounts, 'keys'>, sessionId: string): Asker {
  const key = sessionMark(accounts, sessionId)
  return { key, known: true, marks: [key] }
}

/** A thief can copy the device's name but not its network. Version numbers would make updates news. */
export function placeOf(
  { keys }: Pick<Accounts, 'keys'>,
  { address, userAgent }: Pick<Device, 'address' | 'userAgent'>,
): Place {
  const network = hmacSha256(keys.identifiers, networkOf(address, { v4: 24, v6: 48 }))
  const agent = userAgent.replaceAll(/[\d._]+/g, '')
  return { network, device: hmacSha256(keys.identifiers, network, agent) }
}

async function browserSession(
  { keys }: Pick<Accounts, 'keys'>,
  tx: Tx,
  text: string | undefined,
): Promise<{ id: string; accountId: string } | undefined> {
  const token = readRefreshToken(text ?? '')
  const session = token && (await findSession(tx, token.sessionId))
  return session?.cookie && isOurRefreshToken(keys.refresh, token!, session.salt)
    ? session
    : undefined
}

function sessionMark({ keys }: Pick<Accounts, 'keys'>, sessionId: string): string {
  return hmacSha256(keys.identifiers, `session ${sessionId}`).toString('hex')
}

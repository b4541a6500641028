import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { notify } from '../../notices/notices.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findOwner, insertAccount, lockIdentifier } from '../accounts-store.ts'
import { activate, proveIdentifier } from '../sessions/activation.ts'
import { findByIdentity, linkIdentity } from './identities-store.ts'
import type { Identifier } from '../identifiers.ts'
import type { OutsideIdentity } from './identity.ts'
import { presentSession, signIn } from '../sessions/sessions.ts'
import type { Device, SessionView } from '../sessions/sessions.ts'

/**
 * Which account an identity opens; the rules are written down in the decision on linking:
 * a known identity opens its account; a proven email address links to the account that has proven
 * the same one; anything else is a new account, and unproven claims give way to it.
 */
export async function enterWith(
  room: Accounts,
  tx: Tx,
  identity: OutsideIdentity,
): Promise<{ account: Account; created: boolean }> {
  // Of two first sign-ins at once, the second finds the account of the first.
  await lockIdentifier(tx, nameOf(identity))
  const known = await findByIdentity(tx, identity)
  if (known) return { account: known, created: false }
  const owner = await ownerOf(tx, identity)
  if (owner) {
    await link(tx, owner, identity)
    return { account: owner, created: false }
  }
  return { account: await create(room, tx, identity), created: true }
}

/** A session for whoever the identity opens, in one transaction. `first` may refuse it. */
export async function enterSession(
  room: Accounts,
  identity: OutsideIdentity,
  { device, first }: { device: Device; first?: (tx: Tx) => Promise<void> },
): Promise<SessionView & { created: boolean }> {
  const { opened, created } = await room.db.begin(async (tx) => {
    await first?.(tx)
    const { account, created } = await enterWith(room, tx, identity)
    return { opened: await signIn(room, tx, { account, device }), created }
  })
  return { ...(await presentSession(room, opened)), created }
}

async function ownerOf(tx: Tx, { email }: OutsideIdentity): Promise<Account | undefined> {
  if (email === undefined) return undefined
  await lockIdentifier(tx, email)
  return findOwner(tx, { channel: 'email', value: email })
}

/** An email address alone must not open an account that asks for a second factor. */
async function link(tx: Tx, owner: Account, identity: OutsideIdentity): Promise<void> {
  if (owner.mfaMethod !== 'none') {
    throw new Failure('forbidden', 'This account asks for a second factor: sign in with it.')
  }
  await linkIdentity(tx, identity, owner.id)
  const data = { linked: identity.provider }
  await notify(tx, { accountId: owner.id, type: 'security.new_login', data })
}

async function create(room: Accounts, tx: Tx, identity: OutsideIdentity): Promise<Account> {
  const id = uuidv7()
  const { name: fullName, avatarUrl } = identity
  await insertAccount(tx, { id, fullName, avatarUrl })
  const proven = await freeIdentifiers(tx, identity)
  for (const who of proven) await proveIdentifier(tx, id, who)
  await linkIdentity(tx, identity, id)
  const proofs = [nameOf(identity), ...proven.map(({ value }) => value)]
  return activate(room, tx, { accountId: id, proofs })
}

/** A phone number that another account has proven stays there; an email address is free by now. */
async function freeIdentifiers(tx: Tx, identity: OutsideIdentity): Promise<Identifier[]> {
  const { email, phone } = identity
  const free: Identifier[] = []
  if (email !== undefined) free.push({ channel: 'email', value: email })
  if (phone === undefined) return free
  await lockIdentifier(tx, phone)
  const who: Identifier = { channel: 'phone', value: phone }
  return (await findOwner(tx, who)) ? free : [...free, who]
}

function nameOf({ issuer, subject }: OutsideIdentity): string {
  return `${issuer} ${subject}`
}

import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findHolder, findOwner, insertAccount, lockIdentifier } from '../accounts-store.ts'
import { tellOfChange } from '../codes/changes.ts'
import { ownerProof } from '../owner-proof.ts'
import { openChallenge, type ChallengeView } from '../sessions/challenge.ts'
import { activate, proveIdentifier } from '../sessions/activation.ts'
import { findByIdentity, linkIdentity } from './identities-store.ts'
import type { Identifier } from '../identifiers.ts'
import type { ExternalIdentity } from './identity.ts'
import { openSession, presentSession } from '../sessions/sessions.ts'
import type { Device, SessionView } from '../sessions/sessions.ts'

/**
 * Which account an identity signs in to; docs/decisions/sessions-and-identities.md gives the
 * reasons. A known identity has its account; a verified email address links to the account that has
 * verified the same one; anything else makes a new account, and unverified claims to the address are
 * dropped.
 */
export async function accountForIdentity(
  accounts: Pick<Accounts, 'keys' | 'pagesUrl' | 'signupBonusMicro'>,
  tx: Tx,
  identity: ExternalIdentity,
  locale?: Account['locale'],
): Promise<{ account: Account; created: boolean }> {
  // Two first sign-ins at the same time end with one account.
  await lockIdentifier(tx, nameOf(identity))
  const known = await findByIdentity(tx, identity)
  if (known) return { account: known, created: false }
  const owner = await ownerOf(tx, identity)
  if (owner) {
    await link(accounts, tx, { owner, identity })
    return { account: owner, created: false }
  }
  return { account: await create(accounts, tx, identity, locale), created: true }
}

/** What signing in with an identity leads to: the second step names the account by its id. */
export type Entered =
  | (SessionView & { created: boolean })
  | (ChallengeView & { identifier: string; created: false })

/**
 * Signs the identity in, in one transaction. It is one factor: where the account has a second one,
 * that is asked for. `first` may refuse by throwing.
 */
export async function signInWith(
  accounts: Accounts,
  identity: ExternalIdentity,
  { device, first }: { device: Device; first?: (tx: Tx) => Promise<void> },
): Promise<Entered> {
  const entered = await accounts.db.begin(async (tx) => {
    await first?.(tx)
    const { account, created } = await accountForIdentity(accounts, tx, identity, device.locale)
    if (account.status === 'active' && account.mfaMethod !== 'none') {
      const who = account.id
      const challenge = await openChallenge(accounts, tx, { account, who, device })
      return { challenge: { ...challenge, identifier: who } }
    }
    return { opened: await openSession(accounts, tx, { account, device }), created }
  })
  if (entered.challenge) {
    return { ...entered.challenge, created: false }
  }
  const { opened, created } = entered
  return { ...(await presentSession(accounts, opened)), created }
}

async function ownerOf(tx: Tx, { email }: ExternalIdentity): Promise<Account | undefined> {
  if (email === undefined) return undefined
  await lockIdentifier(tx, email)
  return findOwner(tx, { channel: 'email', value: email })
}

/** An email address alone must not open an account that is protected by a second factor. */
async function link(
  accounts: Pick<Accounts, 'pagesUrl'>,
  tx: Tx,
  { owner, identity }: { owner: Account; identity: ExternalIdentity },
): Promise<void> {
  if (owner.mfaMethod !== 'none') {
    throw new Failure(
      'forbidden',
      'This account is protected by a second factor. Sign in the way you usually do.',
    )
  }
  const data = { linked: identity.provider }
  await tellOfChange(accounts, tx, { accountId: owner.id, type: 'security.new_login', data })
  await linkIdentity(tx, ownerProof(owner.id), identity)
}

async function create(
  accounts: Pick<Accounts, 'keys' | 'signupBonusMicro'>,
  tx: Tx,
  identity: ExternalIdentity,
  locale: Account['locale'] | undefined,
): Promise<Account> {
  const id = uuidv7()
  const { name: fullName, avatarUrl } = identity
  await insertAccount(tx, { id, fullName, avatarUrl, locale })
  const proven = await freeIdentifiers(tx, identity)
  const proof = ownerProof(id)
  for (const who of proven) await proveIdentifier(tx, proof, who)
  await linkIdentity(tx, proof, identity)
  const proofs = [nameOf(identity), ...proven.map(({ value }) => value)]
  return activate(accounts, tx, { accountId: id, proofs })
}

/** A phone number that another account verified stays there; the email address is free by now. */
async function freeIdentifiers(tx: Tx, identity: ExternalIdentity): Promise<Identifier[]> {
  const { email, phone } = identity
  const free: Identifier[] = []
  if (email !== undefined) free.push({ channel: 'email', value: email })
  if (phone === undefined) return free
  await lockIdentifier(tx, phone)
  const who: Identifier = { channel: 'phone', value: phone }
  return (await findHolder(tx, who)) ? free : [...free, who]
}

function nameOf({ issuer, subject }: ExternalIdentity): string {
  return `${issuer} ${subject}`
}

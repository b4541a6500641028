import { applyCommands } from '../../ledger/ledger-store.ts'
import { creditsNumber } from '../../ledger/money.ts'
import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { notify } from '../../notices/notices.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import {
  dropIdleClaims,
  dropPendingClaims,
  findHolder,
  insertProvenIdentifier,
  lockAccount,
  lockIdentifier,
  markProven,
  setStatus,
} from '../accounts-store.ts'
import { openIdentifierKeys } from '../credentials/identifier-keys.ts'
import { subjectOf } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import type { OwnerProof } from '../owner-proof.ts'
import { insertWorkspace } from '../workspaces/workspaces-store.ts'

/**
 * An account has shown that an email address or phone number is its own. Claims that others never
 * proved are dropped; if another account has proved it, this throws `conflict`.
 */
export async function proveIdentifier(tx: Tx, proof: OwnerProof, who: Identifier): Promise<void> {
  const { accountId } = proof
  await lockIdentifier(tx, who.value)
  const holder = await findHolder(tx, who)
  if (holder && holder.id !== accountId) {
    throw new Failure('conflict', 'This email address or phone number belongs to another account.')
  }
  await dropPendingClaims(tx, who, accountId)
  await dropIdleClaims(tx, who, accountId)
  await markProven(tx, proof, who)
}

/**
 * Follows every verification: the first makes the account active, with its default workspace and
 * the sign-up credits. `proofs` are what was proven (an email address, a phone number, issuer and
 * subject of an identity): if any of them was ever proven before, no credits are granted.
 */
export async function activate(
  accounts: Pick<Accounts, 'keys' | 'signupBonusMicro'>,
  tx: Tx,
  { accountId, proofs }: { accountId: string; proofs: string[] },
): Promise<Account> {
  const newcomer = await isNewcomer(accounts, tx, { accountId, proofs })
  const account = await lockAccount(tx, accountId)
  if (!account) throw new Failure('conflict', 'This account has been deleted.')
  if (account.status !== 'pending_verification') return account
  await setStatus(tx, accountId, 'active')
  await insertWorkspace(tx, { ...DEFAULT_WORKSPACE, id: uuidv7(), accountId })
  if (newcomer) await grantBonus(accounts, tx, accountId)
  return { ...account, status: 'active' }
}

/**
 * None of it was ever proven before. While a key of earlier proofs cannot be opened this is not
 * known, so nobody counts as new until MASTER_KEY_PREVIOUS opens it or the operator gives it up.
 */
async function isNewcomer(
  accounts: Pick<Accounts, 'keys'>,
  tx: Tx,
  { accountId, proofs }: { accountId: string; proofs: string[] },
): Promise<boolean> {
  const { identifiers, sealing } = accounts.keys
  const { keys, lost } = await openIdentifierKeys(tx, sealing)
  const fresh: boolean[] = []
  for (const proof of [...proofs].sort()) {
    const hashes = [identifiers, ...keys].map((key) => subjectOf(key, proof))
    fresh.push(await insertProvenIdentifier(tx, hashes as [Buffer, ...Buffer[]], accountId))
  }
  return lost === 0 && fresh.length > 0 && fresh.every(Boolean)
}

const DEFAULT_WORKSPACE = {
  name: 'Default',
  slug: 'default',
  description: null,
  isDefault: true,
}

async function grantBonus(
  accounts: Pick<Accounts, 'signupBonusMicro'>,
  tx: Tx,
  accountId: string,
): Promise<void> {
  const amountMicro = accounts.signupBonusMicro
  if (amountMicro === 0n) return
  const entry = {
    id: uuidv7(),
    type: 'signup_bonus' as const,
    key: `signup:${accountId}`,
    description: 'Sign-up credits',
  }
  const [outcome] = await applyCommands(tx, [{ kind: 'grant', accountId, amountMicro, entry }])
  if (outcome?.kind !== 'posted') return
  const data = { credits: creditsNumber(amountMicro), reason: 'signup_bonus' as const }
  await notify(tx, { accountId, type: 'credits.granted', data })
}

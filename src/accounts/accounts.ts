import type { Config } from '../config.ts'
import type { Db, Tx } from '../db/db.ts'
import { parseCredits } from '../billing/money.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { deriveKey } from '../lib/secrets.ts'
import type { KeyList } from '../lib/secrets.ts'
import { openKeyCache, openSessionCache } from './credentials/credential-caches.ts'
import type { KeyCache, SessionCache } from './credentials/credential-caches.ts'
import { loadIdentifierKey } from './credentials/identifier-keys.ts'
import { openPasswordHasher } from './credentials/passwords.ts'
import type { PasswordHasher } from './credentials/passwords.ts'
import { openSigner } from './credentials/tokens.ts'
import type { Signer } from './credentials/tokens.ts'

/** Called in the transaction that deletes a workspace, to move its rows to the default one. */
export type WorkspaceMove = (
  tx: Tx,
  move: { accountId: string; fromId: string; toId: string },
) => Promise<void>

/** What everything about accounts shares. */
export type Accounts = {
  db: Db
  clock: Clock
  log: Log
  keys: AccountKeys
  signupBonusMicro: bigint
  passwords: PasswordHasher
  signer: Signer
  sessions: SessionCache
  apiKeys: KeyCache
  workspaceMoves: WorkspaceMove[]
}

/** Derived from MASTER_KEY and, while it is being changed, from the one before. */
type DerivedKeys = Record<'codes' | 'refresh' | 'sealing', KeyList>

/** What must outlive a change of MASTER_KEY has keys that are not derived from it. */
type AccountKeys = DerivedKeys & Record<'identifiers' | 'signIn', Buffer>

export async function openAccounts(parts: {
  db: Db
  config: Pick<Config, 'PUBLIC_URL' | 'SIGNUP_BONUS_CREDITS' | 'MASTER_KEY_PREVIOUS'>
  masterKey: string
  clock: Clock
  log: Log
  workspaceMoves?: WorkspaceMove[]
}): Promise<Accounts> {
  const { db, config, clock, log } = parts
  const keys = await openKeys(parts)
  const issuer = config.PUBLIC_URL ?? 'mlango'
  return {
    db,
    clock,
    log,
    keys,
    signupBonusMicro: parseCredits(config.SIGNUP_BONUS_CREDITS),
    passwords: await openPasswordHasher(),
    signer: await openSigner({ db, clock, log, issuer, sealingKey: keys.sealing[0] }),
    sessions: await openSessionCache(db),
    apiKeys: await openKeyCache(db, clock),
    workspaceMoves: parts.workspaceMoves ?? [],
  }
}

async function openKeys(parts: {
  db: Db
  log: Log
  masterKey: string
  config: Pick<Config, 'MASTER_KEY_PREVIOUS'>
}): Promise<AccountKeys> {
  const { db, log, masterKey } = parts
  const previous = parts.config.MASTER_KEY_PREVIOUS
  const keys = accountKeys({ masterKey, previous })
  const derivedBefore = deriveKey(previous ?? masterKey, 'identifiers')
  const identifiers = await loadIdentifierKey({ db, log, sealing: keys.sealing, derivedBefore })
  return { ...keys, identifiers, signIn: deriveKey(identifiers.toString('base64'), 'sign-in') }
}

export function accountKeys(masters: {
  masterKey: string
  previous: string | undefined
}): DerivedKeys {
  const { masterKey, previous } = masters
  const derive = (use: string): KeyList =>
    previous === undefined
      ? [deriveKey(masterKey, use)]
      : [deriveKey(masterKey, use), deriveKey(previous, use)]
  return {
    codes: derive('codes'),
    refresh: derive('refresh-tokens'),
    sealing: derive('sealing'),
  }
}

import type { Config } from '../config.ts'
import type { Db, Tx } from '../db/db.ts'
import { parseCredits } from '../billing/money.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { deriveKey } from '../lib/secrets.ts'
import { openKeyCache, openSessionCache } from './credentials/credential-caches.ts'
import type { KeyCache, SessionCache } from './credentials/credential-caches.ts'
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

type AccountKeys = Record<'identifiers' | 'codes' | 'refresh' | 'sealing', Buffer>

export async function openAccounts(parts: {
  db: Db
  config: Pick<Config, 'PUBLIC_URL' | 'SIGNUP_BONUS_CREDITS'>
  masterKey: string
  clock: Clock
  log: Log
  workspaceMoves?: WorkspaceMove[]
}): Promise<Accounts> {
  const { db, config, clock, log } = parts
  const keys = deriveKeys(parts.masterKey)
  const issuer = config.PUBLIC_URL ?? 'mlango'
  return {
    db,
    clock,
    log,
    keys,
    signupBonusMicro: parseCredits(config.SIGNUP_BONUS_CREDITS),
    passwords: await openPasswordHasher(),
    signer: await openSigner({ db, clock, log, issuer, sealingKey: keys.sealing }),
    sessions: await openSessionCache(db),
    apiKeys: await openKeyCache(db, clock),
    workspaceMoves: parts.workspaceMoves ?? [],
  }
}

function deriveKeys(masterKey: string): AccountKeys {
  return {
    identifiers: deriveKey(masterKey, 'identifiers'),
    codes: deriveKey(masterKey, 'codes'),
    refresh: deriveKey(masterKey, 'refresh-tokens'),
    sealing: deriveKey(masterKey, 'sealing'),
  }
}

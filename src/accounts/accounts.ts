import type { Config } from '../config.ts'
import type { Db, Tx } from '../db/db.ts'
import { parseCredits } from '../ledger/money.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { deriveKey } from '../lib/secrets.ts'
import type { KeyList } from '../lib/secrets.ts'
import { reaches, smsCountries } from '../notices/sms-countries.ts'
import { watchArrivals, type Arrivals } from './credentials/arrivals-store.ts'
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

/** What another room does in the transaction that deletes or erases an account. */
export type AccountAct = (tx: Tx, accountId: string) => Promise<void>

/** What everything about accounts shares. */
export type Accounts = {
  db: Db
  clock: Clock
  log: Log
  /** PUBLIC_URL. */
  publicUrl: string | undefined
  /** Where our own pages are, for links in messages. */
  pagesUrl: string
  /** OPERATOR_URL: a host for operators only. */
  operatorUrl: string | undefined
  /** Of these addresses, and of a domain if one is set, passkeys are made. */
  pages: OwnPages
  keys: AccountKeys
  signupBonusMicro: bigint
  sms: SmsLimits
  passwords: PasswordHasher
  signer: Signer
  sessions: SessionCache
  apiKeys: KeyCache
  arrivals: Arrivals
  workspaceMoves: WorkspaceMove[]
  onDeletion: AccountAct[]
}

/** Where our pages are. */
export type OwnPages = Pick<
  Config,
  'PUBLIC_URL' | 'FRONTEND_URL' | 'OPERATOR_URL' | 'PASSKEY_DOMAIN'
>

/** What sending a code takes. */
export type CodeSender = Pick<Accounts, 'clock' | 'keys' | 'log' | 'pagesUrl' | 'publicUrl' | 'sms'>

/** Codes by SMS cost money: where they go, and how many a day, in all and per address. */
type SmsLimits = {
  reaches(phone: string): boolean
  codesPerDay: number
  codesPerAddress: number
}

/** Derived from MASTER_KEY and, while it is being changed, from the one before. */
type DerivedKeys = Record<'codes' | 'refresh' | 'sealing', KeyList>

/** What must outlive a change of MASTER_KEY has keys that are not derived from it. */
type AccountKeys = DerivedKeys & Record<'identifiers' | 'signIn', Buffer>

type AccountSettings = Pick<
  Config,
  | 'HOST'
  | 'PORT'
  | 'PUBLIC_URL'
  | 'OPERATOR_URL'
  | 'FRONTEND_URL'
  | 'PASSKEY_DOMAIN'
  | 'SIGNUP_BONUS_CREDITS'
  | 'MASTER_KEY_PREVIOUS'
  | 'SMS_PROVIDER'
  | 'SMS_COUNTRIES'
  | 'SMS_CODES_PER_DAY'
  | 'SMS_CODES_PER_ADDRESS'
>

export async function openAccounts(parts: {
  db: Db
  config: AccountSettings
  masterKey: string
  clock: Clock
  log: Log
  workspaceMoves?: WorkspaceMove[]
  onDeletion?: AccountAct[]
}): Promise<Accounts> {
  const { db, config, clock, log } = parts
  const keys = await openKeys(parts)
  const arrivals = await watchArrivals({ db, clock, log })
  const issuer = config.PUBLIC_URL ?? 'mlango'
  return {
    db,
    clock,
    log,
    publicUrl: config.PUBLIC_URL,
    pagesUrl: (config.PUBLIC_URL ?? `http://${config.HOST}:${config.PORT}`).replace(/\/+$/, ''),
    operatorUrl: config.OPERATOR_URL,
    pages: config,
    keys,
    signupBonusMicro: parseCredits(config.SIGNUP_BONUS_CREDITS),
    sms: smsLimits(config),
    passwords: await openPasswordHasher(),
    signer: await openSigner({ db, clock, log, issuer, sealingKey: keys.sealing[0] }),
    sessions: await openSessionCache(db, clock),
    apiKeys: await openKeyCache(db, clock, arrivals),
    arrivals,
    workspaceMoves: parts.workspaceMoves ?? [],
    onDeletion: parts.onDeletion ?? [],
  }
}

function smsLimits(config: AccountSettings): SmsLimits {
  const countries = smsCountries(config)
  return {
    reaches: (phone) => reaches(countries, phone),
    codesPerDay: config.SMS_CODES_PER_DAY,
    codesPerAddress: config.SMS_CODES_PER_ADDRESS,
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
  const identifiers = await loadIdentifierKey({ db, log, sealing: keys.sealing })
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

import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { CryptoKey, JWK } from 'jose'
import type { Db, Tx } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { seal, tryUnseal } from '../../lib/secrets.ts'
import {
  deleteSigningKey,
  insertSigningKey,
  listSigningKeys,
  lockSigningKeys,
} from './signing-keys-store.ts'
import type { PublicJwk, SigningKeyRow } from './signing-keys-store.ts'

/** How long a token may outlive the key that signed it. */
export const ACCESS_LIFE_S = 900

/** Infinity for a key of the present MASTER_KEY. */
type VerifyingKey = { jwk: PublicJwk; untilMs: number }

export type SigningKeys = {
  signing: { kid: string; privateKey: CryptoKey }
  all: VerifyingKey[]
}

/**
 * The newest key that MASTER_KEY opens is used to sign. The first start creates one, under a lock,
 * and so does the first start after MASTER_KEY changes. A key of an earlier MASTER_KEY verifies only
 * until its last token expires: somebody who knew that MASTER_KEY may know the key too.
 */
export async function loadSigningKeys(parts: {
  db: Db
  clock: Clock
  log: Log
  sealingKey: Buffer
  /** When this process first saw a key that it cannot open. */
  firstSeen: Map<string, number>
}): Promise<SigningKeys> {
  const { db, sealingKey } = parts
  const rows = await listSigningKeys(db)
  const signing = await openNewest(rows, sealingKey)
  if (signing) return { signing, all: verifyingKeys(rows, parts) }
  if (rows.length > 0)
    parts.log.warn('MASTER_KEY cannot open any stored signing key; a new one is made.')
  await db.begin(async (tx) => {
    await lockSigningKeys(tx)
    const current = await listSigningKeys(tx)
    if (!(await openNewest(current, sealingKey))) await makeSigningKey(tx, sealingKey)
  })
  return loadSigningKeys(parts)
}

/** Deletes keys of an earlier MASTER_KEY that no longer verify; returns how many. */
export async function dropRetiredSigningKeys(db: Db, sealingKey: Buffer): Promise<number> {
  return db.begin(async (tx) => {
    await lockSigningKeys(tx)
    const rows = await listSigningKeys(tx)
    const now = Date.now()
    const retired = rows.filter((row) => {
      const replacedAt = replacement(rows, row, sealingKey)
      return replacedAt !== undefined && replacedAt + ACCESS_LIFE_S * 1000 < now
    })
    for (const { kid } of retired) await deleteSigningKey(tx, kid)
    return retired.length
  })
}

function verifyingKeys(
  rows: SigningKeyRow[],
  parts: { clock: Clock; sealingKey: Buffer; firstSeen: Map<string, number> },
): VerifyingKey[] {
  const { clock, sealingKey, firstSeen } = parts
  return rows.map((row) => {
    const jwk = row.publicJwk
    if (opens(row, sealingKey)) return { jwk, untilMs: Infinity }
    // No newer key opens: this one belongs to replicas that already run with another MASTER_KEY.
    if (!firstSeen.has(row.kid)) firstSeen.set(row.kid, clock.now().getTime())
    const from = replacement(rows, row, sealingKey) ?? firstSeen.get(row.kid)!
    return { jwk, untilMs: from + ACCESS_LIFE_S * 1000 }
  })
}

/** When the key was made that replaced this one; undefined while MASTER_KEY still opens this one. */
function replacement(
  rows: SigningKeyRow[],
  row: SigningKeyRow,
  sealingKey: Buffer,
): number | undefined {
  if (opens(row, sealingKey)) return undefined
  const newer = rows.filter((one) => one.createdAt > row.createdAt && opens(one, sealingKey))
  return newer.at(-1)?.createdAt.getTime()
}

function opens({ kid, privateSealed }: SigningKeyRow, sealingKey: Buffer): boolean {
  return tryUnseal([sealingKey], privateSealed, kid) !== undefined
}

async function makeSigningKey(tx: Tx, sealingKey: Buffer): Promise<void> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  const secret = JSON.stringify(await exportJWK(pair.privateKey))
  await insertSigningKey(tx, {
    kid,
    publicJwk: { ...jwk, kid, use: 'sig', alg: 'ES256' },
    privateSealed: seal(sealingKey, Buffer.from(secret), kid),
  })
}

async function openNewest(
  rows: SigningKeyRow[],
  sealingKey: Buffer,
): Promise<SigningKeys['signing'] | undefined> {
  for (const { kid, privateSealed } of rows) {
    const secret = tryUnseal([sealingKey], privateSealed, kid)
    if (secret === undefined) continue
    const privateKey = await importJWK(JSON.parse(secret.toString('utf8')) as JWK, 'ES256')
    return { kid, privateKey: privateKey as CryptoKey }
  }
  return undefined
}

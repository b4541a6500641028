import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK } from 'jose'
import type { CryptoKey, JWK } from 'jose'
import type { Db, Tx } from '../../db/db.ts'
import type { Log } from '../../lib/log.ts'
import { seal, unseal } from '../../lib/secrets.ts'
import { insertSigningKey, listSigningKeys, lockSigningKeys } from './signing-keys-store.ts'
import type { PublicJwk, SigningKeyRow } from './signing-keys-store.ts'

export type SigningKeys = { signing: { kid: string; privateKey: CryptoKey }; all: PublicJwk[] }

/** The newest key that we can open signs; all verify. The first start makes one, under a lock. */
export async function loadSigningKeys(parts: {
  db: Db
  log: Log
  sealingKey: Buffer
}): Promise<SigningKeys> {
  const rows = await listSigningKeys(parts.db)
  const opened = await openNewest(rows, parts.sealingKey)
  if (opened) return { signing: opened, all: rows.map((row) => row.publicJwk) }
  if (rows.length > 0)
    parts.log.warn('MASTER_KEY cannot decrypt any stored signing key; a new one is made.')
  await parts.db.begin(async (tx) => {
    await lockSigningKeys(tx)
    const current = await listSigningKeys(tx)
    if (!(await openNewest(current, parts.sealingKey))) await makeSigningKey(tx, parts.sealingKey)
  })
  return loadSigningKeys(parts)
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
    const secret = tryUnseal(sealingKey, privateSealed, kid)
    if (secret === undefined) continue
    const privateKey = await importJWK(JSON.parse(secret) as JWK, 'ES256')
    return { kid, privateKey: privateKey as CryptoKey }
  }
  return undefined
}

function tryUnseal(key: Buffer, box: Uint8Array, kid: string): string | undefined {
  try {
    return unseal(key, box, kid).toString('utf8')
  } catch {
    // Sealed under an earlier MASTER_KEY: its public half still verifies.
    return undefined
  }
}

import { randomBytes } from 'node:crypto'
import type { Db } from '../db/db.ts'
import { deriveKey, hmacSha256, seal, tryUnseal, type KeyList } from '../lib/secrets.ts'
import { lockSecrets, writeSecrets } from './endpoints-store.ts'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Derived from MASTER_KEY and, while it is being changed, from the one before. */
export function webhookKeys(masters: { masterKey: string; previous: string | undefined }): KeyList {
  const { masterKey, previous } = masters
  const before = previous === undefined ? [] : [deriveKey(previous, 'webhooks')]
  return [deriveKey(masterKey, 'webhooks'), ...before]
}

/** `shown` is returned once; `sealed` is stored. */
export function newSecret(keys: KeyList, endpointId: string): { shown: string; sealed: Buffer } {
  const bytes = randomBytes(SECRET_BYTES)
  return { shown: PREFIX + bytes.toString('base64'), sealed: seal(keys[0], bytes, endpointId) }
}

/** The headers of the Standard Webhooks, with a signature for each secret. */
export function signedHeaders(
  secrets: Buffer[],
  { id, body, now }: { id: string; body: string; now: Date },
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000))
  const signatures = secrets.map(
    (secret) => `v1,${hmacSha256(secret, `${id}.${timestamp}.${body}`).toString('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}

/** Undefined when the current secret cannot be opened. A previous one that cannot is left out. */
export function openSecrets(
  keys: KeyList,
  { id, secrets }: { id: string; secrets: Buffer[] },
): Buffer[] | undefined {
  const [present, ...before] = secrets.map((sealed) => tryUnseal(keys, sealed, id))
  return present && [present, ...before.filter((one) => one !== undefined)]
}

/** Seals under the present MASTER_KEY what is sealed under the one before. */
export async function resealWebhookSecrets(
  db: Db,
  keys: KeyList,
): Promise<{ resealed: number; unchanged: number; lost: number }> {
  const count = { resealed: 0, unchanged: 0, lost: 0 }
  const anew = (sealed: Uint8Array, id: string): Uint8Array => {
    const isNew = tryUnseal([keys[0]], sealed, id) !== undefined
    const bytes = tryUnseal(keys, sealed, id)
    count[isNew ? 'unchanged' : bytes ? 'resealed' : 'lost'] += 1
    return isNew || !bytes ? sealed : seal(keys[0], bytes, id)
  }
  await db.begin(async (tx) => {
    for (const { id, secret, previous } of await lockSecrets(tx)) {
      await writeSecrets(tx, {
        id,
        secret: anew(secret, id),
        previous: previous && anew(previous, id),
      })
    }
  })
  return count
}

import type { Db, Tx } from '../db/db.ts'
import { seal, tryUnseal } from '../lib/secrets.ts'
import type { KeyList } from '../lib/secrets.ts'
import { accountKeys } from './accounts.ts'
import { listSealedTotp, resealTotp } from './accounts-store.ts'
import {
  deleteIdentifierKey,
  listIdentifierKeys,
  lockIdentifierKeys,
  resealIdentifierKey,
} from './credentials/identifier-keys-store.ts'
import { IDENTIFIER_KEY } from './credentials/identifier-keys.ts'
import { dropRetiredSigningKeys } from './credentials/signing-keys.ts'

export type MasterKeys = { masterKey: string; previous: string | undefined }

export type Rotation = { resealed: number; unchanged: number; lost: number; signingKeys: number }

/**
 * Seals under the present MASTER_KEY what is sealed under the one before. It can be run again at
 * any time. Signing keys are not sealed anew: whoever knows the old MASTER_KEY may know them too.
 * They have been replaced at the first start with the new one, and go once no token of theirs can
 * be valid.
 */
export async function rotateKeys(db: Db, masters: MasterKeys): Promise<Rotation> {
  const { sealing } = accountKeys(masters)
  const count = { resealed: 0, unchanged: 0, lost: 0 }
  const anew = (sealed: Uint8Array, about: string): Buffer | undefined => {
    const fresh = resealed(sealing, sealed, about)
    count[typeof fresh === 'string' ? fresh : 'resealed'] += 1
    return typeof fresh === 'string' ? undefined : fresh
  }
  await db.begin(async (tx) => {
    await lockIdentifierKeys(tx)
    for (const { id, sealed } of await listIdentifierKeys(tx)) {
      const fresh = anew(sealed, IDENTIFIER_KEY)
      if (fresh) await resealIdentifierKey(tx, id, fresh)
    }
  })
  let after: string | undefined
  do
    after = await db.begin(async (tx) => {
      const rows = await listSealedTotp(tx, after)
      for (const { id, totp, pending } of rows) {
        const fresh = { totp: totp && anew(totp, id), pending: pending && anew(pending, id) }
        if (fresh.totp || fresh.pending) await resealTotp(tx, id, fresh)
      }
      return rows.at(-1)?.id
    })
  while (after !== undefined)
  return { ...count, signingKeys: await dropRetiredSigningKeys(db, sealing[0]) }
}

/** Gives up identifier keys that no key opens; returns how many. */
export async function forgetLostKeys(tx: Tx, masters: MasterKeys): Promise<number> {
  const { sealing } = accountKeys(masters)
  await lockIdentifierKeys(tx)
  let forgotten = 0
  for (const { id, sealed } of await listIdentifierKeys(tx)) {
    if (tryUnseal(sealing, sealed, IDENTIFIER_KEY)) continue
    await deleteIdentifierKey(tx, id)
    forgotten += 1
  }
  return forgotten
}

function resealed(
  sealing: KeyList,
  sealed: Uint8Array,
  about: string,
): Buffer | 'unchanged' | 'lost' {
  if (tryUnseal([sealing[0]], sealed, about)) return 'unchanged'
  const text = tryUnseal(sealing, sealed, about)
  return text ? seal(sealing[0], text, about) : 'lost'
}

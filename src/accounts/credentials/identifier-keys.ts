import { randomBytes } from 'node:crypto'
import type { Db, Tx } from '../../db/db.ts'
import type { Log } from '../../lib/log.ts'
import { seal, tryUnseal } from '../../lib/secrets.ts'
import type { KeyList } from '../../lib/secrets.ts'
import {
  insertIdentifierKey,
  listIdentifierKeys,
  lockIdentifierKeys,
} from './identifier-keys-store.ts'

/** What a sealed identifier key is bound to. */
export const IDENTIFIER_KEY = 'identifier key'

/**
 * The key under which identifiers are hashed. It is random and sealed, not derived from MASTER_KEY,
 * so that throttles, known devices and the once-only sign-up bonus survive a change of MASTER_KEY.
 */
export async function loadIdentifierKey(parts: KeyParts): Promise<Buffer> {
  const { keys, lost } = await openIdentifierKeys(parts.db, parts.sealing)
  if (lost > 0) parts.log.warn(LOST)
  return keys[0] ?? makeIdentifierKey(parts)
}

type KeyParts = { db: Db; log: Log; sealing: KeyList }

async function makeIdentifierKey({ db, sealing }: KeyParts): Promise<Buffer> {
  return db.begin(async (tx) => {
    await lockIdentifierKeys(tx)
    const { keys } = await openIdentifierKeys(tx, sealing)
    if (keys[0]) return keys[0]
    const key = randomBytes(32)
    await insertIdentifierKey(tx, seal(sealing[0], key, IDENTIFIER_KEY))
    return key
  })
}

/** Those that can be opened, newest first, and how many cannot. */
export async function openIdentifierKeys(
  tx: Tx,
  sealing: KeyList,
): Promise<{ keys: Buffer[]; lost: number }> {
  const rows = await listIdentifierKeys(tx)
  const opened = rows.map(({ sealed }) => tryUnseal(sealing, sealed, IDENTIFIER_KEY))
  const keys = opened.filter((key) => key !== undefined)
  return { keys, lost: rows.length - keys.length }
}

const LOST =
  'MASTER_KEY cannot open a key of identifiers, so no sign-up bonus is granted. Set MASTER_KEY_PREVIOUS to the key before.'

import type { Db } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { batchedLoad } from './batched-load.ts'
import { KEYS_CHANNEL } from './api-keys-store.ts'
import { keyHash, looksLikeKey } from './key-format.ts'
import { findHolders, writeKeyUses } from './key-holders-store.ts'
import type { KeyHolder } from './key-holders-store.ts'
import { createToldCache } from './notified-cache.ts'

/** Who holds a key, and when it was last used. A warm key costs no query and no write. */
export type KeyCache = {
  /** At once when it is known. */
  find(key: string): KeyHolder | undefined | Promise<KeyHolder | undefined>
  /** A key's or an account's id; empty forgets all, for changes may have been missed. */
  forget(id: string): void
  /** Writes down uses, each key's at most once a minute. */
  flushUses(): Promise<void>
}

const WRITE_EVERY_MS = 60_000

export async function openKeyCache(db: Db, clock: Clock): Promise<KeyCache> {
  const cache = createToldCache<KeyHolder>(50_000)
  const load = batchedLoad((hashes: Buffer[]) => findHolders(db, hashes))
  const uses = new Map<string, { at: Date; writtenMs: number; fresh: boolean }>()
  const forget = (id: string) =>
    cache.forget((holder) => !holder || id === '' || holder.keyId === id || holder.accountId === id)
  await db.listen(KEYS_CHANNEL, forget)

  const used = (holder: KeyHolder | undefined) => {
    const now = clock.now()
    if (!holder || (holder.expiresAt && holder.expiresAt <= now)) return undefined
    const writtenMs = uses.get(holder.keyId)?.writtenMs ?? 0
    uses.set(holder.keyId, { at: now, writtenMs, fresh: true })
    return holder
  }

  return {
    forget,
    find(key) {
      const hash = keyHash(key)
      const known = cache.known(hash)
      if (known !== undefined) return used(known.value)
      // Typing errors and made-up keys end here: nothing is looked up or remembered for them.
      if (!looksLikeKey(key)) return undefined
      return cache.get(hash, () => load(Buffer.from(hash, 'base64'))).then(used)
    },
    async flushUses() {
      const nowMs = clock.now().getTime()
      const due = [...uses].filter(([, use]) => nowMs - use.writtenMs >= WRITE_EVERY_MS)
      const fresh = due.filter(([, use]) => use.fresh)
      for (const [keyId] of due) uses.delete(keyId)
      for (const [keyId, use] of fresh) {
        uses.set(keyId, { ...use, writtenMs: nowMs, fresh: false })
      }
      if (fresh.length > 0) {
        await writeKeyUses(
          db,
          fresh.map(([keyId, { at }]) => ({ keyId, at })),
        )
      }
    },
  }
}

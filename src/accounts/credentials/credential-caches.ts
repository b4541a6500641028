import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { randomBase62 } from '../../lib/ids.ts'
import { KEYS_CHANNEL } from './api-keys-store.ts'
import type { Arrivals } from './arrivals-store.ts'
import { batchedLoad } from './batched-load.ts'
import { findKeyHolders, writeKeyUses } from './key-holders-store.ts'
import type { KeyHolder } from './key-holders-store.ts'
import { findSessionHolder, SESSIONS_CHANNEL } from './sessions-store.ts'
import type { SessionHolder } from './sessions-store.ts'

/** Whose session it is. Asked on every request; the database is queried only when it is unknown. */
export type SessionCache = {
  find(sessionId: string): Promise<SessionHolder | undefined>
  /** A session's or an account's id; empty forgets all, because changes may have been missed. */
  forget(id: string): void
}

export async function openSessionCache(db: Db, clock: Clock): Promise<SessionCache> {
  const cache = createNotifiedCache<SessionHolder>({ clock })
  const forget = (id: string) =>
    cache.forget((holder, key) => !holder || id === '' || key === id || holder.accountId === id)
  await db.listen(SESSIONS_CHANNEL, forget)
  return {
    find: (sessionId) => cache.get(sessionId, () => findSessionHolder(db, sessionId)),
    forget,
  }
}

/** Who holds a key, and when it was last used. A key in the cache costs no query and no write. */
export type KeyCache = {
  /** Not a promise when the key is in the cache. */
  find(key: string): KeyHolder | undefined | Promise<KeyHolder | undefined>
  /** A key's or an account's id; empty forgets all, because changes may have been missed. */
  forget(id: string): void
  /** Writes when keys were last used, at most once a minute for each. */
  flushUses(): Promise<void>
}

const WRITE_EVERY_MS = 60_000

export async function openKeyCache(db: Db, clock: Clock, arrivals: Arrivals): Promise<KeyCache> {
  const cache = createNotifiedCache<KeyHolder>({ clock, arrivals })
  const load = batchedLoad((hashes: Buffer[]) => findKeyHolders(db, hashes))
  const uses = new Map<string, { at: Date; writtenMs: number; fresh: boolean }>()
  const forget = (id: string) =>
    cache.forget((holder) => !holder || id === '' || holder.keyId === id || holder.accountId === id)
  await db.listen(KEYS_CHANNEL, forget)

  const used = (holder: KeyHolder | undefined) => {
    const now = clock.now()
    if (!holder || (holder.expiresAt && holder.expiresAt <= now)) return undefined
    const use = uses.get(holder.keyId)
    if (use === undefined) uses.set(holder.keyId, { at: now, writtenMs: 0, fresh: true })
    else {
      use.at = now
      use.fresh = true
    }
    return holder
  }

  return {
    forget,
    find(key) {
      const hashed = keyHash(key)
      const known = cache.known(hashed)
      if (known !== undefined) return used(known.value)
      // Mistyped and made-up keys end here: nothing is looked up or remembered for them.
      if (!looksLikeKey(key)) return undefined
      return cache.get(hashed, () => load(Buffer.from(hashed, 'base64'))).then(used)
    },
    async flushUses() {
      const nowMs = clock.now().getTime()
      const ready = [...uses].filter(([, use]) => nowMs - use.writtenMs >= WRITE_EVERY_MS)
      const fresh = ready.filter(([, use]) => use.fresh)
      for (const [keyId] of ready) uses.delete(keyId)
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

export const KEY_PREFIX = 'mlg_'
const SHAPE = /^mlg_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `mlg_`, 40 random characters and 6 of checksum: 238 bits, so storing a plain hash is enough. */
export function newKey(): string {
  const body = randomBase62(40)
  return KEY_PREFIX + body + checksum(body)
}

/** False for mistyped and made-up keys, so that nothing is looked up for them. */
export function looksLikeKey(text: string): boolean {
  const parts = SHAPE.exec(text)
  return parts !== null && checksum(parts[1]!) === parts[2]
}

/** What is stored of a key, as text. */
export function keyHash(key: string): string {
  return hash('sha256', key, 'base64')
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < 6; i++) {
    text = BASE62[rest % 62]! + text
    rest = Math.floor(rest / 62)
  }
  return text
}

type NotifiedCache<V extends object> = {
  /** What is remembered, without waiting; "there is none" is remembered too. */
  known(key: string): { value: V | undefined } | undefined
  /** From memory, or by `load`. */
  get(key: string, load: () => Promise<V | undefined>): Promise<V | undefined>
  /** Forgets every entry that the change concerns. */
  forget(concerns: (value: V | undefined, key: string) => boolean): void
}

const MOST_ENTRIES = 50_000
const FRESH_MS = 10_000
/** While notifications arrive; a change by hand, which notifies nobody, is seen after this. */
const LONGEST_MS = 600_000

/**
 * The database notifies us of changes. An entry is used for ten seconds, and for longer only if it is
 * certain that notifications arrive. What was being loaded when a change came in is used once but not
 * stored: it may have been read before the change.
 */
function createNotifiedCache<V extends object>(parts: {
  clock: Clock
  arrivals?: Arrivals
}): NotifiedCache<V> {
  const { clock, arrivals } = parts
  const entries = new LRUCache<string, { value: V | undefined; loadedMs: number }>({
    max: MOST_ENTRIES,
    ttl: LONGEST_MS,
  })
  let changes = 0
  const nowMs = () => clock.now().getTime()
  const known = (key: string) => {
    const entry = entries.get(key)
    if (entry === undefined || nowMs() - entry.loadedMs < FRESH_MS) return entry
    return entry.value !== undefined && arrivals?.areCurrent() ? entry : undefined
  }
  return {
    known,
    async get(key, load) {
      const entry = known(key)
      if (entry) return entry.value
      const before = changes
      const value = await load()
      if (changes === before) entries.set(key, { value, loadedMs: nowMs() })
      return value
    },
    forget(concerns) {
      changes += 1
      for (const [key, { value }] of entries.entries()) {
        if (concerns(value, key)) entries.delete(key)
      }
    },
  }
}

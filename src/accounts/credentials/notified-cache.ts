import { LRUCache } from 'lru-cache'

export type ToldCache<V extends object> = {
  /** What is remembered, without waiting; "there is none" is remembered too. */
  known(key: string): { value: V | undefined } | undefined
  /** From memory, or by `load`. */
  get(key: string, load: () => Promise<V | undefined>): Promise<V | undefined>
  /** Forgets every entry that `concerns` the change. */
  forget(concerns: (value: V | undefined, key: string) => boolean): void
}

const TTL_MS = 10_000

/**
 * Short-lived, and told of changes. What was loading while a change came in is used once but not
 * kept: it may have been read before the change.
 */
export function createToldCache<V extends object>(max: number): ToldCache<V> {
  const kept = new LRUCache<string, { value: V | undefined }>({ max, ttl: TTL_MS })
  let changes = 0
  return {
    known: (key) => kept.get(key),
    async get(key, load) {
      const known = kept.get(key)
      if (known) return known.value
      const before = changes
      const value = await load()
      if (changes === before) kept.set(key, { value })
      return value
    },
    forget(concerns) {
      changes += 1
      for (const [key, { value }] of kept.entries()) {
        if (concerns(value, key)) kept.delete(key)
      }
    },
  }
}

type Waiting<Key, Value> = {
  key: Key
  resolve(value: Value | undefined): void
  reject(error: unknown): void
}

const MOST_AT_ONCE = 500

/**
 * A single key is looked up at once; keys that arrive while a lookup is under way share the next
 * one. After a quiet time hundreds of callers may arrive with keys that are no longer cached.
 *
 * `db/group-commit.ts` batches in the same way, but for writes: it opens a transaction, repeats a
 * failed batch item by item, and refuses callers when too many wait. A lookup needs none of that,
 * and one mechanism for both would have to switch each of those off.
 */
export function batchedLoad<Key, Value>(
  load: (keys: Key[]) => Promise<(Value | undefined)[]>,
): (key: Key) => Promise<Value | undefined> {
  let waiting: Waiting<Key, Value>[] = []
  let running = false

  async function drain(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MOST_AT_ONCE)
      waiting = waiting.slice(MOST_AT_ONCE)
      try {
        const values = await load(batch.map(({ key }) => key))
        batch.forEach(({ resolve }, i) => resolve(values[i]))
      } catch (error) {
        // Each caller of this batch fails; the next batch may succeed.
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (!running) void drain()
    })
}

type Waiting<Key, Value> = {
  key: Key
  resolve(value: Value | undefined): void
  reject(error: unknown): void
}

const MOST_AT_ONCE = 500

/**
 * Alone, a key is looked up at once; those that come while a lookup is under way share the next
 * one. After a quiet time hundreds of callers come with keys that are no longer remembered.
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
        // Each caller is told; the next batch may fare better.
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

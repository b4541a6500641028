import { setTimeout as pause } from 'node:timers/promises'

/** What `look` finds, as soon as it finds something. Long enough for a very busy machine. */
export async function eventually<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const endMs = performance.now() + 60_000
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > endMs) throw new Error('It did not come to pass within a minute.')
    await pause(10)
  }
}

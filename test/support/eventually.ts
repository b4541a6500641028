import { setTimeout as pause } from 'node:timers/promises'

/** Long enough for a very busy machine: only a fault takes so long. */
const PATIENCE_S = 60

/** What `look` finds, as soon as it finds something; `what` is waited for. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  const endMs = performance.now() + PATIENCE_S * 1_000
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > endMs) {
      throw new Error(`Condition not met within ${PATIENCE_S} s: ${what}`)
    }
    await pause(10)
  }
}

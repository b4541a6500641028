import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The clock of upstreams that say much in a short time. It stops while a process of the service does
 * not answer: what it could not see because the machine was busy is nobody's gain.
 */
export type Pulse = {
  /** So long, and until every process has answered since. */
  pause(ms: number): Promise<void>
  /** Which processes these are; none before. */
  follow(urls: readonly string[]): void
}

export function openPulse(): Pulse {
  let followed: readonly string[] = []
  let asking: Promise<unknown> | undefined
  const ask = () => Promise.all(followed.map(answered))
  return {
    async pause(ms) {
      await sleep(ms)
      await (asking ??= ask().finally(() => (asking = undefined)))
    },
    follow(urls) {
      followed = urls
    },
  }
}

/** Whatever it answers. */
async function answered(url: string): Promise<void> {
  try {
    await (await fetch(`${url}/healthz`)).arrayBuffer()
  } catch {
    // It stops.
  }
}

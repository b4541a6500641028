import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** After their signal, handlers get this long to let go of what they hold. */
const LETTING_GO_MS = 5_000
const LOOK_FOR_IDLE_MS = 200

/**
 * Stops accepting, lets what runs finish within DRAIN_SECONDS, then aborts the rest and waits for
 * their handlers, so that holds are released by whoever took them. Resolves when all is quiet.
 */
export async function drain(server: FastifyInstance): Promise<void> {
  const { running, settings, log } = server.context
  running.draining = true
  const closed = server.close()
  // A connection that was busy when the server stopped listening turns idle later.
  const idle = setInterval(() => server.server.closeIdleConnections(), LOOK_FOR_IDLE_MS)
  try {
    const quiet = closed.then(() => running.whenIdle())
    await within(quiet, settings.DRAIN_SECONDS * 1000)
    if (running.count > 0) {
      log.warn('The calls that are still running are aborted.', { count: running.count })
      running.abortAll()
      await within(quiet, LETTING_GO_MS)
    }
    server.server.closeAllConnections()
    await closed
  } finally {
    clearInterval(idle)
  }
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const stop = new AbortController()
  const patience = pause(ms, undefined, { signal: stop.signal }).catch(() => {})
  await Promise.race([work, patience])
  stop.abort()
}

import type { Server as HttpServer } from 'node:http'
import { setImmediate as turnOfLoop, setTimeout as pause } from 'node:timers/promises'
import type { Server } from './server.ts'

/** Aborted handlers get this long to release what they hold. */
const LETTING_GO_MS = 5_000
const LOOK_FOR_IDLE_MS = 200
/** Even if new connections keep arriving, the server stops listening after this long. */
const LAST_ARRIVALS_MS = 1_000
const SHORT_TURN_MS = 1

/**
 * Stops accepting, lets what runs finish within DRAIN_SECONDS, then aborts the rest and waits for
 * their handlers, so that holds are released by whoever took them. Resolves when all is quiet.
 */
export async function drain({ http, sockets, context, close }: Server): Promise<void> {
  const { running, settings, log } = context
  running.draining = true
  await acceptWaiting(http)
  const closed = close()
  sockets.drain()
  // A connection that was busy when the server stopped listening turns idle later.
  const idle = setInterval(() => http.closeIdleConnections(), LOOK_FOR_IDLE_MS)
  try {
    const quiet = closed.then(() => running.whenIdle())
    await within(quiet, settings.DRAIN_SECONDS * 1000)
    if (running.count > 0) {
      log.warn('The calls that are still running are aborted.', { count: running.count })
      running.abortAll()
      await within(quiet, LETTING_GO_MS)
    }
    http.closeAllConnections()
    sockets.terminate()
    await closed
  } finally {
    clearInterval(idle)
  }
}

/**
 * Node accepts one connection in each turn of the event loop, and resets those that still wait when
 * the server stops listening. So it listens until a turn brings none. A turn that took long does not
 * count, since connections may have arrived during it.
 */
async function acceptWaiting(server: HttpServer): Promise<void> {
  const until = performance.now() + LAST_ARRIVALS_MS
  let arrived: boolean
  let beganAt: number
  const note = () => {
    arrived = true
  }
  server.on('connection', note)
  // The rest of this turn: it may have looked for connections before.
  await turnOfLoop()
  do {
    arrived = false
    beganAt = performance.now()
    await turnOfLoop()
  } while ((arrived || performance.now() - beganAt > SHORT_TURN_MS) && performance.now() < until)
  server.off('connection', note)
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const stop = new AbortController()
  const patience = pause(ms, undefined, { signal: stop.signal }).catch(() => {})
  await Promise.race([work, patience])
  stop.abort()
}

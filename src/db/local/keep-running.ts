import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import type { Binaries } from './binaries.ts'
import { explain } from './explain.ts'
import type { Home } from './home.ts'
import { HERE } from './initialise.ts'
import { endLeftovers, readPostmaster } from './leftovers.ts'
import { asArguments } from './settings.ts'
import { dropSocketLock } from './socket-folder.ts'
import { DatabaseError } from './database-error.ts'
import { spawnWatched, type WatchedChild } from './watched-child.ts'

type Running = {
  home: Home
  binaries: Binaries
  settings: Record<string, string>
  socketFolder: string
  log: Log
}

/**
 * Starts the server and waits until it takes connections. When it ends by itself it is started
 * again, for as long as it takes: meanwhile connections fail, which callers see as 503.
 */
export async function keepRunning(
  options: Running,
): Promise<{ pid(): number; stop(): Promise<void> }> {
  const { log } = options
  const stopping = new AbortController()
  let child = await startOnce(options, stopping.signal)
  const looking = lookAfter()

  async function lookAfter(): Promise<void> {
    for (let waitMs = FIRST_WAIT_MS; ;) {
      const startedAt = performance.now()
      const reason = await child.ended
      if (stopping.signal.aborted) return
      log.error('The database server ended and is started again.', { reason })
      if (performance.now() - startedAt > STEADY_MS) waitMs = FIRST_WAIT_MS
      waitMs = await startAgain(waitMs)
    }
  }

  async function startAgain(firstWaitMs: number): Promise<number> {
    let waitMs = firstWaitMs
    for (; !stopping.signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      await sleep(waitMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
      if (stopping.signal.aborted) break
      try {
        child = await startOnce(options, stopping.signal)
        break
      } catch (error) {
        const reason = error instanceof DatabaseError ? error.message : undefined
        log.error('The database server does not start.', { error, ...(reason && { reason }) })
      }
    }
    return Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }

  return {
    pid: () => child.pid,
    async stop() {
      stopping.abort()
      await endPolitely(child)
      await looking
      // One that was being started again at this moment.
      if (!child.hasEnded()) await endPolitely(child)
    },
  }
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000
const STEADY_MS = 10_000

async function startOnce(options: Running, signal: AbortSignal): Promise<WatchedChild> {
  const { home, binaries, settings, log } = options
  const found = await endLeftovers(home.data)
  dropSocketLock(options.socketFolder)
  if (found > 0) log.warn('A database server was left running and has been stopped.')
  const child = spawnWatched({
    command: binaries.postgres,
    args: ['-D', home.reachable ? home.data : HERE, ...asArguments(settings)],
    as: home.as,
    folder: home.data,
    env: binaries.env,
    orphaned: 'quit',
    onLine: (line) => {
      // While it is being stopped it reports every connection that it closes.
      if (signal.aborted || !/^(PANIC|FATAL):/.test(line)) return
      log.warn('The database server reported an error.', { reason: line })
    },
  })
  if (await becomesReady(child, options, signal)) return child
  throw new DatabaseError(explain(child.words(), { folder: home.data }))
}

/** Without a limit: a recovery after a crash takes the time it takes, and ending it helps nobody. */
async function becomesReady(
  child: WatchedChild,
  { home, log }: Running,
  signal: AbortSignal,
): Promise<boolean> {
  for (let waitedMs = 0; !child.hasEnded(); waitedMs += 10) {
    const postmaster = readPostmaster(home.data)
    const isReady = postmaster?.pid === child.pid && postmaster.status === 'ready'
    if (signal.aborted || isReady) return true
    if (waitedMs === 10_000) log.info('The database server is still starting.')
    await sleep(10)
  }
  return false
}

async function endPolitely(child: WatchedChild): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (child.hasEnded()) return
    child.kill(signal)
    await Promise.race([child.ended, sleep(20_000, undefined, { ref: false })])
  }
}

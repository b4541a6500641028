import { getHeapStatistics } from 'node:v8'
import type { Log } from '../lib/log.ts'

/**
 * The first signal drains, the second ends at once. A bug that nobody caught drains too, and so does
 * memory that is used up: whoever started the process starts it again.
 */
export function endOnSignal(log: Log, close: () => Promise<void>, usedMemory = usedShare): void {
  let closingSince: number | undefined
  const end = (code: number) => {
    closingSince = performance.now()
    close().then(
      () => process.exit(code),
      () => process.exit(1),
    )
  }
  const onSignal = () => {
    if (closingSince === undefined) end(0)
    else if (performance.now() - closingSince > ONE_SIGNAL_MS) process.exit(1)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('uncaughtException', (error) => {
    log.error('An unexpected error; the service is stopping.', { error })
    if (closingSince === undefined) end(1)
  })
  whenFull(usedMemory, () => {
    log.error('The memory of this process is used up; the service is stopping.')
    if (closingSince === undefined) end(1)
  })
}

/** One Ctrl-C arrives twice or more: from the terminal, from npm, and from a supervisor. */
const ONE_SIGNAL_MS = 500

const LOOK_MS = 1_000
/** Beyond it a collection finds little. New calls are refused from nine tenths of the heap on. */
const FULL = 0.95
/** In a row: what is full of garbage for a moment is not full. */
const LOOKS = 3

function whenFull(used: () => number, act: () => void): void {
  let full = 0
  const looking = setInterval(() => {
    full = used() > FULL ? full + 1 : 0
    if (full < LOOKS) return
    clearInterval(looking)
    act()
  }, LOOK_MS)
  looking.unref()
}

/** Of the heap, or of what the container or the machine has for this process. */
function usedShare(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  const memory = process.constrainedMemory()
  const resident = memory > 0 ? process.memoryUsage.rss() / memory : 0
  return Math.max(used / limit, resident)
}

/** Does what waits as rows of a table. A row is claimed with a lease, so that a crash gives it back. */
export type RowWorker = {
  /**
   * Looks for rows now, unless enough loops are already running. Never throws, never waits. Does
   * nothing before the first `run`: an operator's command must not begin to work.
   */
  wake(): void
  /** Looks for rows and returns when none is left. Once aborted, nothing new is claimed. */
  run(signal: AbortSignal): Promise<void>
  /** Resolves when nothing is being done. */
  idle(): Promise<void>
}

type RowWork = {
  mostLoops: number
  /** Claims one row and deals with it; false when there was none. Calls `onFound` once it has one. */
  next(onFound: () => void, signal: AbortSignal): Promise<boolean>
  /** The rows stay; the next run finds them. */
  onError(error: unknown): void
}

export function createRowWorker({ mostLoops, next, onError }: RowWork): RowWorker {
  const loops = new Set<Promise<void>>()
  let signal: AbortSignal | undefined

  const wake = () => {
    if (signal === undefined || signal.aborted || loops.size >= mostLoops) return
    const loop = workThrough(signal).finally(() => loops.delete(loop))
    loops.add(loop)
  }
  const workThrough = async (current: AbortSignal) => {
    try {
      // Each loop that finds a row starts one more, up to the limit, while there are rows.
      while (!current.aborted && (await next(wake, current)));
    } catch (error) {
      // Nobody awaits a loop that a NOTIFY started.
      onError(error)
    }
  }
  const idle = async () => {
    while (loops.size > 0) await Promise.all(loops)
  }
  return {
    wake,
    idle,
    run(current) {
      signal = current
      wake()
      return idle()
    },
  }
}

const FIRST_DELAY_MS = 5_000
const LONGEST_DELAY_MS = 3_600_000

/** Doubles from 5 s to an hour, spread by ±25 % so that a server that is back is not flooded. */
export function retryDelayMs(attempt: number, random: number): number {
  const plain = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS)
  return Math.round(plain * (0.75 + random * 0.5))
}

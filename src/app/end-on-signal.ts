import type { Log } from '../lib/log.ts'

/** The first signal drains, the second ends at once. A bug that nobody caught drains too. */
export function endOnSignal(log: Log, close: () => Promise<void>): void {
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
}

/** One Ctrl-C arrives twice or more: from the terminal, from npm, and from a supervisor. */
const ONE_SIGNAL_MS = 500

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { RunAs } from './run-as.ts'

export type WatchedChild = {
  pid: number
  /** Settles with a word for how it ended. */
  ended: Promise<string>
  hasEnded(): boolean
  /** The last lines that it wrote. */
  words(): string
  kill(signal: NodeJS.Signals): void
}

export type WatchedCommand = {
  command: string
  args: string[]
  as: RunAs
  folder: string
  env: Record<string, string>
  /** What happens when this process is gone: QUIT to the child, or KILL to it and its children. */
  orphaned: 'quit' | 'kill'
  onLine?: (line: string) => void
}

/**
 * A child that does not outlive this process, however it ends. A parent-death signal would do, but
 * is Linux only and needs a tool; a pipe works everywhere: a small shell waits for its end, which
 * comes when nobody holds the other side any more.
 */
export function spawnWatched(options: WatchedCommand): WatchedChild {
  const { command, args, as, folder, env, orphaned } = options
  const child = spawn('/bin/sh', ['-c', SCRIPTS[orphaned], 'sh', command, ...args], {
    ...as,
    cwd: folder,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
    // A session of its own: Ctrl-C is for the service, which drains before the server may go.
    detached: true,
  })
  const lines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line)
    if (lines.length > MOST_LINES) lines.shift()
    options.onLine?.(line)
  })
  child.stdin.on('error', () => {})
  let over = false
  const ended = new Promise<string>((done) => {
    const end = (how: string) => {
      over = true
      // The watcher goes without a kill: by now the number may be someone else's.
      child.stdin.end('over\n')
      done(how)
    }
    child.once('error', (error) => {
      lines.push(error.message)
      end(error.message)
    })
    child.once('close', (code, signal) => end(signal ?? `exit code ${code}`))
  })
  return {
    pid: child.pid ?? 0,
    ended,
    hasEnded: () => over,
    words: () => lines.join('\n'),
    kill: (signal) => void child.kill(signal),
  }
}

const MOST_LINES = 60

/** The watcher is nobody's child, so that PostgreSQL, which replaces the shell, does not meet it. */
const script = (kill: string) => `exec 3<&0
( { read -r word <&3 || ${kill}; } >/dev/null 2>&1 & )
exec "$@" 3<&- </dev/null`

const SCRIPTS = { quit: script('kill -s QUIT "$$"'), kill: script('kill -s KILL -- "-$$"') }

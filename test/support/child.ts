import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export type Child = {
  pid: number
  /** The next line of its output; throws when it ended without one. */
  line(): Promise<string>
  /** Every line it has written so far and not yet given. */
  lines(): string[]
  kill(signal: NodeJS.Signals): void
  ended: Promise<number | null>
}

/** Runs a `.ts` file of this project as a process of its own. */
export function runChild(file: string, args: string[]): Child {
  const root = join(import.meta.dirname, '../..')
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = () => child.kill('SIGKILL')
  process.once('exit', stop)
  const waiting: string[] = []
  const reader = createInterface({ input: child.stdout })
  reader.on('line', (line) => waiting.push(line))
  const ended = once(child, 'close').then(([code]) => {
    process.off('exit', stop)
    return code as number | null
  })
  return {
    pid: child.pid!,
    async line() {
      if (waiting.length === 0) await Promise.race([once(reader, 'line'), ended])
      const line = waiting.shift()
      if (line === undefined) throw new Error(`${file} ended without a line of output.`)
      return line
    },
    lines: () => waiting.splice(0),
    kill: (signal) => child.kill(signal),
    ended,
  }
}

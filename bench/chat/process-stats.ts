import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const TICKS_PER_S = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** Processor time that a process has used so far, as the system reports it. */
export function cpuMs(pid: number): number {
  // The name, in parentheses, may contain blanks: fields are counted from behind it.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_S
}

/** Where a process notes a figure when it gets the signal, if it has loaded what measures it. */
export function noteFile(pid: number): string {
  return join(tmpdir(), `mlango-bench-${pid}`)
}

/** What it notes: `bench/children/live-memory.ts` or `loop-turns.ts` says what that is. */
export async function notedBy(pid: number): Promise<number> {
  const file = noteFile(pid)
  process.kill(pid, 'SIGUSR2')
  for (let tries = 0; tries < 500; tries++) {
    await sleep(10)
    const noted = globSync(file).length > 0 ? readFileSync(file, 'utf8') : ''
    if (!noted.endsWith('\n')) continue
    rmSync(file)
    return Number(noted)
  }
  throw new Error('A process did not note what it was asked for.')
}

/** A database server works in its children, those that have ended included: without its own time. */
export function childrenCpuMs(parent: number): number {
  // What children used that have ended is counted with their parent, in the two fields after its own.
  const fields = readFileSync(`/proc/${parent}/stat`, 'utf8').split(') ')[1]!.split(' ')
  let sum = ((Number(fields[13]) + Number(fields[14])) * 1000) / TICKS_PER_S
  for (const file of globSync('/proc/[0-9]*/stat')) {
    const pid = Number(file.split('/')[2])
    try {
      const ppid = readFileSync(file, 'utf8').split(') ')[1]!.split(' ')[1]
      if (Number(ppid) === parent) sum += cpuMs(pid)
    } catch {
      // The process has ended meanwhile.
    }
  }
  return sum
}

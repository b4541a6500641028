import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second. */
const TICK_MS = 10

/** Processor time of a process and of all that it started, browsers included. */
export function cpuMsOf(pid: number): number {
  if (process.platform !== 'linux') return ownMs()
  return familyOf(pid).reduce((sum, { ms }) => sum + ms, 0)
}

/** Kills a process and all that it started, which would outlive it. */
export function endWithChildren(pid: number): void {
  for (const one of new Set([pid, ...familyOf(pid).map((member) => member.pid)])) {
    try {
      process.kill(one, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

/** The process, its children and theirs. */
function familyOf(pid: number): Stat[] {
  if (process.platform !== 'linux') return []
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
  const byParent = Map.groupBy(processes, ({ parent }) => parent)
  const withChildren = (one: Stat): Stat[] => [
    one,
    ...(byParent.get(one.pid) ?? []).flatMap(withChildren),
  ]
  return processes.filter((one) => one.pid === pid).flatMap(withChildren)
}

type Stat = { pid: number; parent: number; ms: number }

/** Its own time and that of its children that have ended. */
function readStat(pid: number): Stat | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // After the name, which may hold anything: state, parent, …
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { pid, parent: Number(fields[1]), ms: ticks * TICK_MS }
}

function ownMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second. */
const TICK_MS = 10

/** Processor time of a process and of all that it started, browsers included. */
export function cpuMsOf(pid: number): number {
  if (process.platform !== 'linux') return ownMs()
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
  const byParent = Map.groupBy(processes, ({ parent }) => parent)
  const sum = (one: Stat): number =>
    one.ms + (byParent.get(one.pid) ?? []).reduce((ms, child) => ms + sum(child), 0)
  return processes.filter((one) => one.pid === pid).reduce((ms, one) => ms + sum(one), 0)
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

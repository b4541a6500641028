import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError } from './database-error.ts'

/**
 * Ends what a former service left running in this data folder. The caller owns the folder, so
 * nobody else has a claim on it. What is dying already gets a moment to do so; then a fast
 * shutdown, an immediate one, and the end.
 */
export async function endLeftovers(folder: string): Promise<number> {
  const found = processesIn(folder).length
  for (const step of STEPS) {
    if (await goneWithin(folder, step.patienceMs)) break
    const all = processesIn(folder)
    const postmaster = readPostmaster(folder)?.pid
    // Without their postmaster the others do not know the polite signals.
    if (step.signal === 'SIGKILL') all.forEach((pid) => kill(pid, 'SIGKILL'))
    else if (postmaster !== undefined && all.includes(postmaster)) kill(postmaster, step.signal)
  }
  if (!(await goneWithin(folder, 5_000))) throw stuck(folder)
  // It names a process that is no more, or by now a stranger, whom PostgreSQL would take for it.
  rmSync(join(folder, 'postmaster.pid'), { force: true })
  return found
}

const STEPS: { patienceMs: number; signal: NodeJS.Signals }[] = [
  { patienceMs: 500, signal: 'SIGINT' },
  { patienceMs: 5_000, signal: 'SIGQUIT' },
  { patienceMs: 5_000, signal: 'SIGKILL' },
]

export function readPostmaster(folder: string): Postmaster | undefined {
  try {
    return parsePostmasterFile(readFileSync(join(folder, 'postmaster.pid'), 'utf8'))
  } catch {
    return undefined
  }
}

/** Every process of PostgreSQL sits in its data folder. A zombie sits nowhere. */
export function processesIn(folder: string): number[] {
  const place = inode(folder)
  if (place === undefined) return []
  const processes = list('/proc').filter((name) => /^\d+$/.test(name))
  if (processes.length === 0) return postmasterByName(folder)
  return processes
    .filter((pid) => NAMES.has(commandOf(pid)) && inode(`/proc/${pid}/cwd`) === place)
    .map(Number)
}

const NAMES = new Set(['postgres', 'initdb'])

async function goneWithin(folder: string, patienceMs: number): Promise<boolean> {
  for (let waitedMs = 0; processesIn(folder).length > 0; waitedMs += 20) {
    if (waitedMs >= patienceMs) return false
    await sleep(20)
  }
  return true
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return ''
  }
}

function inode(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path)
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

/** For a system without /proc. */
function postmasterByName(folder: string): number[] {
  const pid = readPostmaster(folder)?.pid
  if (pid === undefined) return []
  const listed = spawnSync('ps', ['-o', 'stat=,comm=', '-p', String(pid)], { encoding: 'utf8' })
  const [state, command] = (listed.stdout ?? '').trim().split(/\s+/, 2)
  return state !== undefined && !state.startsWith('Z') && /postgres/.test(command ?? '')
    ? [pid]
    : []
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended by itself meanwhile.
  }
}

function stuck(folder: string): DatabaseError {
  const pids = processesIn(folder).join(', ')
  return new DatabaseError(
    `A former PostgreSQL still works in ${folder} and does not end (process ${pids}). End it, or restart the machine.`,
  )
}

/** What a running server tells about itself in its data folder, in `postmaster.pid`. */
type Postmaster = {
  pid: number
  socketFolder: string
  status: 'starting' | 'stopping' | 'ready' | 'standby' | 'unknown'
}

/** Undefined for a file that is empty or half written. */
export function parsePostmasterFile(text: string): Postmaster | undefined {
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  const status = STATES.find((state) => state === lines[7]?.trim()) ?? 'unknown'
  return { pid, socketFolder: lines[4] ?? '', status }
}

const STATES = ['starting', 'stopping', 'ready', 'standby'] as const

import { within } from '../../lib/clock.ts'

/** `bad` needs a cure and makes the exit status 1; a `note` is only worth knowing. */
export type Diagnosis = {
  /** What was looked at: `database`, `upstream main`. */
  part: string
  state: 'good' | 'note' | 'bad'
  says: string
  cure?: string
}

/** What one check finds. It may throw: that is a diagnosis too. */
export type Examine = () => Promise<Diagnosis[]>

export function good(part: string, says: string): Diagnosis {
  return { part, state: 'good', says }
}

export function note(part: string, says: string, cure?: string): Diagnosis {
  return { part, state: 'note', says, ...(cure === undefined ? {} : { cure }) }
}

export function bad(part: string, says: string, cure: string): Diagnosis {
  return { part, state: 'bad', says, cure }
}

/** No part may keep the others waiting for longer. */
const PATIENCE_MS = 30_000

/** Runs the checks side by side and gives what they find, check by check, in their order. */
export async function* examineAll(
  checks: readonly { part: string; examine: Examine; patienceMs?: number }[],
): AsyncGenerator<Diagnosis> {
  const running = checks.map(({ part, examine, patienceMs = PATIENCE_MS }) =>
    inTime(part, examine, patienceMs),
  )
  for (const one of running) yield* await one
}

async function inTime(part: string, examine: Examine, ms: number): Promise<Diagnosis[]> {
  const says = `There was no answer within ${ms / 1_000} seconds.`
  const late = () => [bad(part, says, 'Check the network and try again.')]
  try {
    return await within(ms, examine(), late)
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error)
    return [bad(part, says, 'Mend this and run the doctor again.')]
  }
}

const SIGNS = { good: '✓', note: '·', bad: '✗' } as const
const COLOURS = { good: 32, note: 33, bad: 31 } as const
const WIDTH = 16

/** One line for each diagnosis, and the cure below it. */
export function lineOf({ part, state, says, cure }: Diagnosis, colour: boolean): string {
  const sign = colour ? `\u001b[${COLOURS[state]}m${SIGNS[state]}\u001b[0m` : SIGNS[state]
  const line = `${sign} ${part.padEnd(WIDTH)} ${printable(says)}`
  return cure === undefined ? line : `${line}\n${' '.repeat(WIDTH + 3)}→ ${printable(cure)}`
}

export function lastLine(found: readonly Diagnosis[]): string {
  const wrong = found.filter(({ state }) => state === 'bad').length
  if (wrong === 0) return 'All is well.'
  return wrong === 1 ? 'One thing needs a cure.' : `${wrong} things need a cure.`
}

export function jsonOf(found: readonly Diagnosis[]): string {
  return JSON.stringify({ healthy: exitCode(found) === 0, diagnoses: found }, null, 2)
}

export function exitCode(found: readonly Diagnosis[]): number {
  return found.some(({ state }) => state === 'bad') ? 1 : 0
}

/** Some words come from other servers: nothing that moves a cursor, and all on one line. */
function printable(text: string): string {
  return text.replaceAll(/\p{C}+/gu, ' ').trim()
}

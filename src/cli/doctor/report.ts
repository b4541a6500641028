import type { Diagnosis } from './diagnosis.ts'

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

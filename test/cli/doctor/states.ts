import type { Diagnosis } from '../../../src/cli/doctor/diagnosis.ts'

/** `part state` of each, for a comparison at a glance. */
export function statesOf(found: readonly Diagnosis[]): string[] {
  return found.map(({ part, state }) => `${part} ${state}`)
}

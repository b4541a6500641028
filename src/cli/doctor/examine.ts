import { within } from '../../lib/clock.ts'
import { bad, type Diagnosis, type Examine } from './diagnosis.ts'

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

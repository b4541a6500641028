import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../row.ts'
import { proportionalMb, treeOf } from '../start/memory.ts'
import type { Gateways } from './gateways.ts'

const REST_MS = 10_000
const GOAL_MB = 230

/** What the service and its database need together before the first call. */
export async function measureMemoryAtRest({ all }: Gateways): Promise<Row[]> {
  await sleep(REST_MS)
  return [all.ours, all.elsewhere].map(({ name, pid, database }) => {
    const pids = new Set([...treeOf(pid), ...treeOf(database!.pid)])
    const value = proportionalMb([...pids])
    const ratio = { of: `the goal of ${GOAL_MB} MB`, value: value / GOAL_MB, atMost: 1 }
    return { what: `${name} and its database: memory at rest`, value, unit: 'MB', ratio }
  })
}

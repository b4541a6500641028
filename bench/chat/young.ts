import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../row.ts'
import { median } from '../statistics.ts'
import { runCallers } from './callers.ts'
import type { Gateways } from './gateways.ts'
import { notedBy } from './process-stats.ts'
import { chatRequests } from './throughput.ts'

const ROUNDS = 3
const AGE_MS = 2_000
const CALLERS = 512
const SECONDS = 3
const GOAL_MS = 150

/** A replica that has just started, and gets all the load at once: how long does its loop stand still? */
export async function measureYoung(gateways: Gateways): Promise<Row[]> {
  const longest: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const young = await gateways.startYoung()
    await sleep(AGE_MS)
    // Its start does not count.
    await notedBy(young.pid)
    await runCallers({
      port: young.port,
      requests: chatRequests(young, { stream: false, content: 'Habari' }),
      connections: CALLERS,
      seconds: SECONDS,
      endsWith: '"usage":{',
    })
    longest.push(await notedBy(young.pid))
    await young.close()
  }
  const value = median(longest)
  const ratio = { of: `the goal of ${GOAL_MS} ms`, value: value / GOAL_MS, atMost: 1 }
  return [{ what: 'Mlango, 2 s old: longest turn of its loop', value, unit: 'ms', ratio }]
}

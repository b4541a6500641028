import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../row.ts'
import { send } from './callers.ts'
import type { Field, Runner } from './field.ts'
import { chatRequests } from './race.ts'
import { residentKiB } from './vitals.ts'

const OPEN = 500
const WARM_UP = 50

/** 500 streams at once: every event of each, in order, and what an open one costs in memory. */
export async function manyStreams(
  field: Field,
  paced: { events: number; paceMs: number },
): Promise<Row[]> {
  const { bare, portkey, ours } = field.runners
  const found: Row[] = []
  for (const runner of [bare, portkey, ours]) {
    const { good, kib } = await hold(runner, paced)
    const total = OPEN * paced.events
    if (runner === ours) {
      const ratio = { of: `${total} sent`, value: good / total, atLeast: 1 }
      found.push({ what: `${OPEN} streams: events in order`, value: good, unit: 'events', ratio })
    }
    const what = `${runner.name}: memory per open stream`
    found.push({ what, value: kib, unit: 'KiB' })
  }
  return found
}

async function hold(runner: Runner, paced: { events: number; paceMs: number }) {
  const errand = {
    port: runner.port,
    requests: chatRequests(runner, { stream: true, content: 'paced' }),
    connections: OPEN,
    endsWith: 'data: [DONE]',
    keepBodies: true as const,
  }
  // What a process needs once, for code and for its first connections, is not a stream's.
  await send({
    ...errand,
    requests: chatRequests(runner, { stream: true, content: 'warm up' }),
    connections: WARM_UP,
    answersEach: 5,
  })
  const before = residentKiB(runner.pid)
  const done = send({ ...errand, answersEach: 1 })
  await sleep(paced.events * paced.paceMs * 0.75)
  const kib = (residentKiB(runner.pid) - before) / OPEN
  const { bodies } = await done
  return { kib, good: bodies.reduce((sum, body) => sum + inOrder(body), 0) }
}

/** How many of the numbered events came at their place. */
function inOrder(body: string): number {
  let next = 0
  for (const [, n] of body.matchAll(/"content":"(\d+) "/g)) if (Number(n) === next) next += 1
  return next
}

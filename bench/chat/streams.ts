import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../row.ts'
import { runCallers } from './callers.ts'
import type { Gateways, Gateway } from './gateways.ts'
import { chatRequests } from './throughput.ts'
import { residentKiB } from './process-stats.ts'

const OPEN = 500
const WARM_UP = 50

/** 500 streams at once: every event of each, in order, and what an open one costs in memory. */
export async function measureOpenStreams(
  gateways: Gateways,
  paced: { events: number; paceMs: number },
): Promise<Row[]> {
  const { bare, portkey, ours } = gateways.all
  const found: Row[] = []
  let bareKib = 0
  for (const gateway of [bare, portkey, ours]) {
    const { good, kib } = await measureStreams(gateway, paced)
    const total = OPEN * paced.events
    if (gateway === ours) {
      const ratio = { of: `${total} sent`, value: good / total, atLeast: 1 }
      found.push({ what: `${OPEN} streams: events in order`, value: good, unit: 'events', ratio })
    }
    const row = { what: `${gateway.name}: memory per open stream`, value: kib, unit: 'KiB' }
    if (gateway === bare) bareKib = kib
    const ratio = { of: bare.name, value: kib / bareKib, atMost: 1.3 }
    found.push(gateway === ours ? { ...row, ratio } : row)
  }
  return found
}

async function measureStreams(gateway: Gateway, paced: { events: number; paceMs: number }) {
  const plan = {
    port: gateway.port,
    requests: chatRequests(gateway, { stream: true, content: 'paced' }),
    connections: OPEN,
    endsWith: 'data: [DONE]',
    keepBodies: true as const,
  }
  // Memory for code and first connections is needed once, and not counted for the streams.
  await runCallers({
    ...plan,
    requests: chatRequests(gateway, { stream: true, content: 'warm up' }),
    connections: WARM_UP,
    answersEach: 5,
  })
  const before = residentKiB(gateway.pid)
  const done = runCallers({ ...plan, answersEach: 1 })
  await sleep(paced.events * paced.paceMs * 0.75)
  const kib = (residentKiB(gateway.pid) - before) / OPEN
  const { bodies } = await done
  return { kib, good: bodies.reduce((sum, body) => sum + inOrder(body), 0) }
}

/** How many of the numbered events arrived in order. */
function inOrder(body: string): number {
  let next = 0
  for (const [, n] of body.matchAll(/"content":"(\d+) "/g)) if (Number(n) === next) next += 1
  return next
}

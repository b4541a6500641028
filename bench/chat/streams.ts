import { setTimeout as sleep } from 'node:timers/promises'
import type { Row } from '../row.ts'
import { median } from '../statistics.ts'
import { runCallers } from './callers.ts'
import type { Gateways, Gateway } from './gateways.ts'
import { chatRequests } from './throughput.ts'
import { notedBy } from './process-stats.ts'

/** Enough for all of the code to be compiled. */
const WARM_UP = { connections: 50, answersEach: 60 }
const LET_GO_MS = 7_000
/** What else a process makes or lets go meanwhile counts too, and differs by kilobytes a stream. */
const ROUNDS = 3
const MOST_OF_BARE = 1.3

/** How many streams are open at once, and how long their prompts are. */
type Open = { streams: number; promptBytes: number; name: string }
const SHORT: Open = { streams: 500, promptBytes: 0, name: 'an open stream' }
/** What coding agents send. */
const LONG: Open = { streams: 100, promptBytes: 100_000, name: 'an open stream of 100 KB' }

/** Streams at once: every event of each, in order, and what an open one costs in memory. */
export async function measureOpenStreams(
  gateways: Gateways,
  paced: { events: number; paceMs: number },
): Promise<Row[]> {
  return [
    ...(await measureOpen(gateways, SHORT, paced)),
    ...(await measureOpen(gateways, LONG, paced)),
  ]
}

async function measureOpen(
  gateways: Gateways,
  open: Open,
  paced: { events: number; paceMs: number },
): Promise<Row[]> {
  const { bare, ours } = gateways.all
  const found: Row[] = []
  let bareKib = 0
  for (const gateway of [bare, ours]) {
    const rounds: { good: number; kib: number }[] = []
    while (rounds.length < ROUNDS) rounds.push(await measureStreams(gateway, open, paced))
    const good = Math.min(...rounds.map((round) => round.good))
    const kib = median(rounds.map((round) => round.kib))
    const total = open.streams * paced.events
    if (gateway === ours) {
      const ratio = { of: `${total} sent`, value: good / total, atLeast: 1 }
      const what = `${open.streams} streams: events in order`
      found.push({ what, value: good, unit: 'events', ratio })
    }
    const row = { what: `${gateway.name}: memory of ${open.name}`, value: kib, unit: 'KiB' }
    if (gateway === bare) bareKib = kib
    const ratio = { of: bare.name, value: kib / bareKib, atMost: MOST_OF_BARE }
    found.push(gateway === ours ? { ...row, ratio } : row)
  }
  return found
}

async function measureStreams(
  gateway: Gateway,
  { streams, promptBytes }: Open,
  paced: { events: number; paceMs: number },
) {
  const content = `paced ${'barua '.repeat(promptBytes / 6)}`
  const plan = {
    port: gateway.port,
    requests: chatRequests(gateway, { stream: true, content }),
    connections: streams,
    endsWith: 'data: [DONE]',
    keepBodies: true as const,
  }
  // Memory for code and first connections is needed once, and not counted for the streams.
  await runCallers({
    ...plan,
    requests: chatRequests(gateway, { stream: true, content: 'warm up' }),
    ...WARM_UP,
  })
  // Connections that nothing uses any more are closed after a few seconds.
  await sleep(LET_GO_MS)
  // Not what is resident: that is mostly room for garbage, which a process keeps from its first load.
  const before = await notedBy(gateway.pid)
  const done = runCallers({ ...plan, answersEach: 1 })
  await sleep(paced.events * paced.paceMs * 0.75)
  const kib = ((await notedBy(gateway.pid)) - before) / streams
  const { bodies } = await done
  return { kib, good: bodies.reduce((sum, body) => sum + inOrder(body), 0) }
}

/** How many of the numbered events arrived in order. */
function inOrder(body: string): number {
  let next = 0
  for (const [, n] of body.matchAll(/"content":"(\d+) "/g)) if (Number(n) === next) next += 1
  return next
}

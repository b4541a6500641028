import { measureFirstByte } from './chat/first-byte.ts'
import { startGateways } from './chat/gateways.ts'
import { measureLongPrompt } from './chat/long-prompt.ts'
import { measureMemoryAtRest } from './chat/memory-at-rest.ts'
import { measureYoung } from './chat/young.ts'
import { measureThroughput } from './chat/throughput.ts'
import { measureOpenStreams } from './chat/streams.ts'
import type { Bench } from './row.ts'

const EVENTS = 50
const PACE_MS = 100

/**
 * Billed chat through the real service, on the PostgreSQL server that it brings along and on one with
 * PostgreSQL's own defaults, against a bare proxy made of the same parts and against the Portkey
 * gateway: one upstream, one kind of caller, in turns.
 */
export const chat: Bench = {
  name: 'chat',
  async run() {
    const paced = { events: EVENTS, paceMs: PACE_MS }
    const gateways = await startGateways(paced)
    try {
      return [
        // First, while nothing has grown.
        ...(await measureMemoryAtRest(gateways)),
        ...(await measureOpenStreams(gateways, paced)),
        ...(await measureYoung(gateways)),
        ...(await measureLongPrompt(gateways)),
        ...(await measureThroughput(gateways, false)),
        ...(await measureThroughput(gateways, true)),
        ...(await measureFirstByte(gateways)),
      ]
    } finally {
      await gateways.close()
    }
  },
}

import { measureFirstByte } from './chat/first-byte.ts'
import { startGateways } from './chat/gateways.ts'
import { measureLongPrompt } from './chat/long-prompt.ts'
import { measureYoung } from './chat/young.ts'
import { measureThroughput } from './chat/throughput.ts'
import { measureOpenStreams } from './chat/streams.ts'
import type { Bench } from './row.ts'

const EVENTS = 50
const PACE_MS = 100
/** Of a service in use, added to the first byte. */
const GOALS_MS = { median: 2, p99: 6 }

/**
 * Billed chat through the real service on a real PostgreSQL, against a bare proxy made of the same
 * parts and against the Portkey gateway: one upstream, one kind of caller, in turns.
 */
export const chat: Bench = {
  name: 'chat',
  async run() {
    const paced = { events: EVENTS, paceMs: PACE_MS }
    const gateways = await startGateways(paced)
    try {
      return [
        // First, while the compiler has seen nothing; what it has made, a full collection throws away.
        ...(await measureFirstByte(gateways, 'soon after its start')),
        ...(await measureOpenStreams(gateways, paced)),
        ...(await measureYoung(gateways)),
        ...(await measureLongPrompt(gateways)),
        ...(await measureThroughput(gateways, false)),
        ...(await measureThroughput(gateways, true)),
        ...(await measureFirstByte(gateways, 'after load', GOALS_MS)),
      ]
    } finally {
      await gateways.close()
    }
  },
}

import { firstByte } from './chat/first-byte.ts'
import { openField } from './chat/field.ts'
import { race } from './chat/race.ts'
import { manyStreams } from './chat/streams.ts'
import type { Bench } from './row.ts'

const EVENTS = 50
const PACE_MS = 100

/**
 * Billed chat through the real service on a real PostgreSQL, against a bare proxy made of the same
 * parts and against the Portkey gateway: one upstream, one kind of caller, in turns.
 */
export const chat: Bench = {
  name: 'chat',
  async run() {
    const paced = { events: EVENTS, paceMs: PACE_MS }
    const field = await openField(paced)
    try {
      return [
        // First, while no process has grown yet.
        ...(await manyStreams(field, paced)),
        ...(await firstByte(field)),
        ...(await race(field, false)),
        ...(await race(field, true)),
      ]
    } finally {
      await field.close()
    }
  },
}

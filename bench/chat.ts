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
        ...(await race(field, false)),
        ...(await race(field, true)),
        ...(await firstByte(field)),
        ...(await manyStreams(field, paced)),
      ]
    } finally {
      await field.close()
    }
  },
}

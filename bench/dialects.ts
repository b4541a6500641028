import { runCallers } from './chat/callers.ts'
import type { Gateway } from './chat/gateways.ts'
import { CHAT, requestsOf, WAYS, type Way } from './dialects/calls.ts'
import { startService } from './dialects/service.ts'
import type { Bench, Row } from './row.ts'
import { median } from './statistics.ts'

const WARM_ROUNDS = 4
const ROUNDS = 20
const SECONDS = 0.5
const CONNECTIONS = 256

/** Messages and Responses against chat: the same service, upstream and text, in turns. */
export const dialects: Bench = {
  name: 'dialects',
  async run() {
    const service = await startService()
    try {
      return [...(await measure(service.gateway, false)), ...(await measure(service.gateway, true))]
    } finally {
      await service.close()
    }
  },
}

/** Each way between two turns of chat, so that a machine that changes its speed changes both. */
async function measure(gateway: Gateway, stream: boolean): Promise<Row[]> {
  const chats: number[] = []
  const seen = new Map<Way, { perS: number; ratio: number }[]>(WAYS.map((way) => [way, []]))
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
    let before = await callsPerS(gateway, CHAT, stream)
    for (const way of WAYS) {
      const perS = await callsPerS(gateway, way, stream)
      const after = await callsPerS(gateway, CHAT, stream)
      if (round >= WARM_ROUNDS) {
        seen.get(way)!.push({ perS, ratio: (2 * perS) / (before + after) })
        chats.push(after)
      }
      before = after
    }
  }
  const how = stream ? 'streamed' : 'whole'
  const row = (name: string, value: number) => ({ what: `${name}, ${how}`, value, unit: 'calls/s' })
  const rows = WAYS.map((way) => {
    const { name, atLeast } = way
    const own = seen.get(way)!
    const value = median(own.map(({ ratio }) => ratio))
    const speed = median(own.map(({ perS }) => perS))
    const goal = atLeast === undefined ? {} : { atLeast }
    return { ...row(name, speed), ratio: { of: 'chat', value, ...goal } }
  })
  return [row(CHAT.name, median(chats)), ...rows]
}

async function callsPerS(gateway: Gateway, way: Way, stream: boolean): Promise<number> {
  const { answers, elapsedMs, refused, refusal } = await runCallers({
    port: gateway.port,
    requests: requestsOf(way, gateway, stream),
    connections: CONNECTIONS,
    seconds: SECONDS,
    endsWith: stream ? way.ends.streamed : way.ends.whole,
  })
  if (refused > 0) throw new Error(`${way.name}: ${refusal}`)
  return (answers * 1000) / elapsedMs
}

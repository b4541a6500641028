import { runCallers } from './chat/callers.ts'
import type { Gateway } from './chat/gateways.ts'
import { CHAT, requestsOf, WAYS, type Way } from './dialects/calls.ts'
import { startService } from './dialects/service.ts'
import type { Bench, Row } from './row.ts'
import { median } from './statistics.ts'

const WARM_ROUNDS = 3
const ROUNDS = 5
const SECONDS = 1.5
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

async function measure(gateway: Gateway, stream: boolean): Promise<Row[]> {
  const all = [CHAT, ...WAYS]
  const rounds = new Map<Way, number[]>(all.map((way) => [way, []]))
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
    for (const way of all) {
      const perS = await callsPerS(gateway, way, stream)
      if (round >= WARM_ROUNDS) rounds.get(way)!.push(perS)
    }
  }
  const how = stream ? 'streamed' : 'whole'
  return all.map((way) => {
    const own = rounds.get(way)!
    const row = { what: `${way.name}, ${how}`, value: median(own), unit: 'calls/s' }
    if (way === CHAT) return row
    const value = median(own.map((perS, i) => perS / rounds.get(CHAT)![i]!))
    const { atLeast } = way
    return { ...row, ratio: { of: 'chat', value, ...(atLeast === undefined ? {} : { atLeast }) } }
  })
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

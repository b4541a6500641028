import type { Row } from '../row.ts'
import { runCallers } from './callers.ts'
import type { Gateways, Gateway } from './gateways.ts'
import { median, quantile } from '../statistics.ts'
import { chatRequests } from './throughput.ts'

const ROUNDS = 6
const CONNECTIONS = 4
const ANSWERS_EACH = 50

/** How much a gateway delays the first byte of a stream. */
export async function measureFirstByte(gateways: Gateways): Promise<Row[]> {
  const { direct, bare, portkey, ours } = gateways.all
  const waits = new Map<Gateway, number[]>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const gateway of [direct, bare, portkey, ours]) {
      const { firstByteMs } = await runCallers({
        port: gateway.port,
        requests: chatRequests(gateway, { stream: true, content: 'Habari' }),
        connections: CONNECTIONS,
        answersEach: ANSWERS_EACH,
        endsWith: 'data: [DONE]',
      })
      waits.set(gateway, [...(waits.get(gateway) ?? []), ...firstByteMs])
    }
  }
  const added = (gateway: Gateway, at: (values: number[]) => number) =>
    at(waits.get(gateway)!) - at(waits.get(direct)!)
  const p99 = (values: number[]) => quantile(values, 0.99)
  return [bare, portkey, ours].flatMap((gateway) => [
    {
      what: `${gateway.name}: first byte later by, median`,
      value: added(gateway, median),
      unit: 'ms',
    },
    { what: `${gateway.name}: first byte later by, p99`, value: added(gateway, p99), unit: 'ms' },
  ])
}

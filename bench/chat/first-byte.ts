import type { Row } from '../row.ts'
import { runCallers } from './callers.ts'
import type { Gateways, Gateway } from './gateways.ts'
import { median, quantile } from '../statistics.ts'
import { chatRequests } from './throughput.ts'

const ROUNDS = 6
const CONNECTIONS = 4
const ANSWERS_EACH = 55
const UNTIMED = 5
const PAUSE_MS = 20
/** Few enough that each has made calls before those that are timed, and recently. */
const ACCOUNTS = 4
type Figures = { median: number; p99: number }

/**
 * How much a gateway delays the first byte of a stream, at a low load, for accounts with calls before:
 * the first calls of an account wait for the commits of their holds, later ones do not. Much of it
 * depends on how far the compiler has come: `when` says what the processes have done before.
 */
export async function measureFirstByte(
  gateways: Gateways,
  when: string,
  goalsMs?: Figures,
): Promise<Row[]> {
  const { direct, bare, portkey, ours } = gateways.all
  const waits = new Map<Gateway, number[]>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const gateway of [direct, bare, portkey, ours]) {
      const { firstByteMs } = await runCallers({
        port: gateway.port,
        requests: chatRequests(gateway, { stream: true, content: 'Habari' }).slice(0, ACCOUNTS),
        connections: CONNECTIONS,
        answersEach: ANSWERS_EACH,
        untimed: UNTIMED,
        pauseMs: PAUSE_MS,
        endsWith: 'data: [DONE]',
      })
      waits.set(gateway, [...(waits.get(gateway) ?? []), ...firstByteMs])
    }
  }
  const added = (gateway: Gateway, at: (values: number[]) => number) =>
    at(waits.get(gateway)!) - at(waits.get(direct)!)
  const p99 = (values: number[]) => quantile(values, 0.99)
  const row = (gateway: Gateway, what: keyof Figures, value: number): Row => {
    const found = {
      what: `${gateway.name}, ${when}: first byte later by, ${what}`,
      value,
      unit: 'ms',
    }
    if (gateway !== ours || goalsMs === undefined) return found
    const goalMs = goalsMs[what]
    return { ...found, ratio: { of: `the goal of ${goalMs} ms`, value: value / goalMs, atMost: 1 } }
  }
  return [bare, portkey, ours].flatMap((gateway) => [
    row(gateway, 'median', added(gateway, median)),
    row(gateway, 'p99', added(gateway, p99)),
  ])
}

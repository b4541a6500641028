import type { Row } from '../row.ts'
import { median, quantile } from '../statistics.ts'
import { runCallers } from './callers.ts'
import type { Gateway, Gateways } from './gateways.ts'
import { chatRequests } from './throughput.ts'

const ROUNDS = 8
const CALLERS = [1, 8]
/** Of each round, by all callers together; each caller's first ones are not timed. */
const ANSWERS = 120
const UNTIMED = 5
const PAUSE_MS = 10
/** Beyond what the bare proxy takes. */
const GOALS_MS = { median: 0.5, p99: 4 }

/**
 * How much later the first byte of a stream comes than through the bare proxy, from an upstream that
 * takes 40 ms. In turns, after load: how long it takes depends on how far the compiler has come.
 */
export async function measureFirstByte({ all }: Gateways): Promise<Row[]> {
  const rows: Row[] = []
  for (const callers of CALLERS) rows.push(...(await measureWith(callers, all)))
  return rows
}

async function measureWith(callers: number, all: Gateways['all']): Promise<Row[]> {
  const { bare, portkey, ours, elsewhere } = all
  const waits = new Map<Gateway, number[]>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const gateway of [bare, portkey, ours, elsewhere]) {
      const { firstByteMs, refused, refusal } = await runCallers({
        port: gateway.port,
        requests: chatRequests(gateway, { stream: true, content: 'later' }).slice(0, callers),
        connections: callers,
        answersEach: UNTIMED + ANSWERS / callers,
        untimed: UNTIMED,
        pauseMs: PAUSE_MS,
        endsWith: 'data: [DONE]',
      })
      if (refused > 0) throw new Error(refusal)
      waits.set(gateway, [...(waits.get(gateway) ?? []), ...firstByteMs])
    }
  }
  const addedTo = (gateway: Gateway, share: number) =>
    quantile(waits.get(gateway)!, share) - quantile(waits.get(bare)!, share)
  const bareRow: Row = {
    what: `${bare.name}, ${callers} callers: first byte, median`,
    value: median(waits.get(bare)!),
    unit: 'ms',
  }
  return [
    bareRow,
    ...[portkey, ours, elsewhere].flatMap((gateway) =>
      (['median', 'p99'] as const).map((which): Row => {
        const value = addedTo(gateway, which === 'median' ? 0.5 : 0.99)
        const row = {
          what: `${gateway.name}, ${callers} callers: first byte later by, ${which}`,
          value,
          unit: 'ms',
        }
        if (gateway === portkey) return row
        const goalMs = GOALS_MS[which]
        const ratio = { of: `the goal of ${goalMs} ms`, value: value / goalMs, atMost: 1 }
        return { ...row, ratio }
      }),
    ),
  ]
}

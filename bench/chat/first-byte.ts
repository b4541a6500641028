import type { Row } from '../row.ts'
import { send } from './callers.ts'
import type { Field, Runner } from './field.ts'
import { median, quantile } from './middle.ts'
import { chatRequests } from './race.ts'

const ROUNDS = 6
const CONNECTIONS = 4
const ANSWERS_EACH = 50

/** What stands before the upstream adds to the wait for the first byte of a stream. */
export async function firstByte(field: Field): Promise<Row[]> {
  const { direct, bare, portkey, ours } = field.runners
  const waits = new Map<Runner, number[]>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const runner of [direct, bare, portkey, ours]) {
      const { firstByteMs } = await send({
        port: runner.port,
        requests: chatRequests(runner, { stream: true, content: 'Habari' }),
        connections: CONNECTIONS,
        answersEach: ANSWERS_EACH,
        endsWith: 'data: [DONE]',
      })
      waits.set(runner, [...(waits.get(runner) ?? []), ...firstByteMs])
    }
  }
  const added = (runner: Runner, at: (values: number[]) => number) =>
    at(waits.get(runner)!) - at(waits.get(direct)!)
  const late = (values: number[]) => quantile(values, 0.99)
  return [bare, portkey, ours].flatMap((runner) => [
    {
      what: `${runner.name}: first byte later by, median`,
      value: added(runner, median),
      unit: 'ms',
    },
    { what: `${runner.name}: first byte later by, p99`, value: added(runner, late), unit: 'ms' },
  ])
}

import type { Row } from '../row.ts'
import { median } from '../statistics.ts'
import { runCallers } from './callers.ts'
import type { Gateway, Gateways } from './gateways.ts'
import { chatRequests } from './throughput.ts'

const MB = 1_000_000
const ROUNDS = 8
const ANSWERS = 3
const OTHERS = { connections: 4, answersEach: 15, pauseMs: 20 }
const BESIDE = { answers: 3, pauseMs: 100 }
/** Twice as long, and a little for the noise. */
const MOST_OF_HALF = 2.5

/** A prompt of 10 MB: what it takes against half of it, and what the others notice of it. */
export async function measureLongPrompt({ all }: Gateways): Promise<Row[]> {
  const [half, whole, alone, beside] = [[], [], [], []] as [number[], number[], number[], number[]]
  for (let round = 0; round < ROUNDS; round++) {
    half.push(...(await longWaits(all.ours, 5)))
    whole.push(...(await longWaits(all.ours, 10)))
    alone.push(median(await shortWaits(all.ours)))
    const long = longWaits(all.ours, 10, BESIDE)
    beside.push(median(await shortWaits(all.ours)))
    await long
  }
  // The fastest of them: what the garbage collector adds to the others varies.
  const [fastHalf, fastWhole] = [Math.min(...half), Math.min(...whole)]
  const toHalf = { of: 'one of 5 MB', value: fastWhole / fastHalf, atMost: MOST_OF_HALF }
  const toAlone = { of: 'alone', value: median(beside.map((ms, i) => ms / alone[i]!)) }
  return [
    row('a prompt of 5 MB', fastHalf),
    row('a prompt of 10 MB', fastWhole, toHalf),
    row('a short prompt alone', median(alone)),
    row('a short prompt beside 10 MB', median(beside), toAlone),
  ]
}

function row(what: string, value: number, ratio?: Row['ratio']): Row {
  return { what: `Mlango: ${what}`, value, unit: 'ms', ...(ratio && { ratio }) }
}

/** Of one caller. */
async function longWaits(
  gateway: Gateway,
  megabytes: number,
  { answers, pauseMs } = { answers: ANSWERS, pauseMs: 0 },
): Promise<number[]> {
  const content = 'Habari '.repeat((megabytes * MB) / 7)
  const { firstByteMs, refused, refusal } = await runCallers({
    port: gateway.port,
    requests: chatRequests(gateway, { stream: false, content }),
    connections: 1,
    answersEach: answers,
    pauseMs,
    endsWith: '"usage":{',
  })
  if (refused > 0) throw new Error(refusal)
  return firstByteMs
}

async function shortWaits(gateway: Gateway): Promise<number[]> {
  const { firstByteMs } = await runCallers({
    port: gateway.port,
    requests: chatRequests(gateway, { stream: false, content: 'Habari' }),
    ...OTHERS,
    endsWith: '"usage":{',
  })
  return firstByteMs
}

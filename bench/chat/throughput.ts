import type { Row } from '../row.ts'
import { median } from '../statistics.ts'
import { runCallers } from './callers.ts'
import { MODEL, type Gateway, type Gateways } from './gateways.ts'
import { childrenCpuMs, cpuMs } from './process-stats.ts'

type Compared = Exclude<keyof Gateways['all'], 'direct'>
type Measured = { perS: number; ownUs: number; databaseUs: number }

/** How many call at the same time, and what is to be reached then, against the bare proxy. */
type Load = {
  callers: number
  /** Calls per second. */
  wholeAtLeast: number
  streamedAtLeast: number
  /** Processor time of service and database together for a whole answer. */
  processorAtMost: number
}

/** The largest first: it warms everybody up. */
const LOADS: Load[] = [
  { callers: 512, wholeAtLeast: 0.6, streamedAtLeast: 0.75, processorAtMost: 2.2 },
  { callers: 64, wholeAtLeast: 0.45, streamedAtLeast: 0.6, processorAtMost: 2.8 },
]

/**
 * The compiler needs half a minute of full load to reach a steady state with a service of this size:
 * a call took 950 µs of its processor time in the first six seconds, 630 in the third six, 500 in the
 * fifth. The bare proxy is there after a few seconds.
 */
const WARM_ROUNDS = 10
const ROUNDS = 5
const SECONDS = 1.5

/** Calls per second and processor time per call; in turns, so that a disturbance affects all. */
export async function measureThroughput({ all }: Gateways, stream: boolean): Promise<Row[]> {
  const found: Row[] = []
  for (const load of LOADS) {
    const rounds: Record<Compared, Measured[]> = { bare: [], portkey: [], ours: [], elsewhere: [] }
    const warmRounds = load === LOADS[0] ? WARM_ROUNDS : 1
    for (let round = 0; round < warmRounds + ROUNDS; round++) {
      for (const name of Object.keys(rounds) as Compared[]) {
        const measured = await run(all[name], load.callers, stream)
        if (round >= warmRounds) rounds[name].push(measured)
      }
    }
    found.push(...rows(all, { load, stream, rounds }))
  }
  return found
}

/** Work that is left for later counts as work of the calls that left it. */
async function run(gateway: Gateway, callers: number, stream: boolean): Promise<Measured> {
  const { database } = gateway
  const databaseMs = () => (database === undefined ? 0 : childrenCpuMs(database.pid))
  const before = { own: cpuMs(gateway.pid), database: databaseMs() }
  const { answers, elapsedMs, refused, refusal } = await runCallers({
    port: gateway.port,
    requests: chatRequests(gateway, { stream, content: PROMPT }),
    connections: callers,
    seconds: SECONDS,
    endsWith: stream ? 'data: [DONE]' : '"usage":{',
  })
  if (refused > 0 && database !== undefined) throw new Error(refusal)
  if (refused > 0) console.log(`  (${gateway.name} refused ${refused} of ${refused + answers})`)
  await database?.untilNothingPends()
  const perCall = 1000 / answers
  return {
    perS: (answers * 1000) / elapsedMs,
    ownUs: (cpuMs(gateway.pid) - before.own) * perCall,
    databaseUs: (databaseMs() - before.database) * perCall,
  }
}

const PROMPT = 'Niandikie barua fupi ya kuomba likizo ya siku tatu kazini, kwa heshima. '.repeat(4)

/** One request per caller of the gateway, ready for the wire. */
export function chatRequests(
  gateway: Gateway,
  options: { stream: boolean; content: string },
): string[] {
  const body = JSON.stringify({
    model: MODEL,
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: options.content },
    ],
    max_tokens: 400,
    temperature: 0.7,
    ...(options.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  })
  const head = `Host: bench\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return gateway.headers.map(
    (headers) => `POST /v1/chat/completions HTTP/1.1\r\n${head}${headers}\r\n${body}`,
  )
}

type Measurement = { load: Load; stream: boolean; rounds: Record<Compared, Measured[]> }

function rows(all: Gateways['all'], { load, stream, rounds }: Measurement): Row[] {
  const how = `${stream ? 'streamed' : 'whole'}, ${load.callers} callers`
  const row = (name: Compared, what: string, unit: string, figure: (one: Measured) => number) => ({
    what: `${all[name].name}: ${what}`,
    value: median(rounds[name].map(figure)),
    unit,
    ratio: {
      of: all.bare.name,
      value: median(rounds[name].map((one, i) => figure(one) / figure(rounds.bare[i]!))),
    },
  })
  return (Object.keys(rounds) as Compared[]).flatMap((name): Row[] => {
    const speed = row(name, how, 'calls/s', ({ perS }) => perS)
    const work = row(name, `${how}, processor`, 'µs/call', (one) => one.ownUs + one.databaseUs)
    if (all[name].database === undefined) return [speed, work]
    const atLeast = stream ? load.streamedAtLeast : load.wholeAtLeast
    const goal = stream ? {} : { atMost: load.processorAtMost }
    const database = median(rounds[name].map(({ databaseUs }) => databaseUs))
    return [
      { ...speed, ratio: { ...speed.ratio, atLeast } },
      { ...work, ratio: { ...work.ratio, ...goal } },
      { what: `${all[name].name}: ${how}, of that its database`, value: database, unit: 'µs/call' },
    ]
  })
}

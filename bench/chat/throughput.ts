import type { Row } from '../row.ts'
import { runCallers } from './callers.ts'
import { MODEL, type Gateways, type Gateway } from './gateways.ts'
import { median } from '../statistics.ts'
import { childrenCpuMs, cpuMs } from './process-stats.ts'

type Compared = Exclude<keyof Gateways['all'], 'direct'>
type Measured = { perS: number; cpuUs: number; databaseUs: number }
type Rounds = Partial<Record<Compared, Measured[]>>

/** How many call at the same time, and what is to be reached then, against the bare proxy. */
type Load = {
  callers: number
  compared: Compared[]
  /** Calls per second. */
  wholeAtLeast?: number
  streamedAtLeast?: number
  /** Processor time of service and database together for a whole answer. */
  cpuAtMost?: number
}

const FEW: Compared[] = ['bare', 'portkey', 'ours']
/** The largest first: it warms everybody up. */
const LOADS: Load[] = [
  {
    callers: 512,
    compared: [...FEW, 'hot', 'defaults'],
    wholeAtLeast: 0.6,
    streamedAtLeast: 0.65,
    cpuAtMost: 2.2,
  },
  { callers: 64, compared: FEW, wholeAtLeast: 0.4, streamedAtLeast: 0.5, cpuAtMost: 3 },
  { callers: 8, compared: FEW, wholeAtLeast: 0.25 },
  { callers: 1, compared: ['bare', 'ours'] },
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
export async function measureThroughput(gateways: Gateways, stream: boolean): Promise<Row[]> {
  const found: Row[] = []
  for (const load of LOADS) found.push(...(await measureLoad(gateways, load, stream)))
  return stream ? found : [...found, await measureLoneCall(gateways)]
}

/**
 * A third of what it was when the goal was set: of 4,380 µs, on a machine where the bare proxy took
 * 164 for a call of 64 callers. What its lone call took was not written down.
 */
const LONE_CALL_AT_MOST = 8.9

async function measureLoneCall(gateways: Gateways): Promise<Row> {
  const { bare, ours } = gateways.all
  const each: { callUs: number; ratio: number }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const beside = await run(gateways, bare, 64, false)
    const { cpuUs, databaseUs } = await run(gateways, ours, 1, false)
    const callUs = cpuUs + databaseUs
    each.push({ callUs, ratio: callUs / beside.cpuUs })
  }
  const value = median(each.map(({ ratio }) => ratio))
  return {
    what: 'Mlango and its database: a lone call, processor',
    value: median(each.map(({ callUs }) => callUs)),
    unit: 'µs/call',
    ratio: { of: 'bare proxy with 64 callers', value, atMost: LONE_CALL_AT_MOST },
  }
}

async function measureLoad(gateways: Gateways, load: Load, stream: boolean): Promise<Row[]> {
  const rounds: Rounds = Object.fromEntries(load.compared.map((name) => [name, []]))
  const warmRounds = load === LOADS[0] ? WARM_ROUNDS : 1
  for (let round = 0; round < warmRounds + ROUNDS; round++) {
    for (const name of load.compared) {
      const measured = await run(gateways, gateways.all[name], load.callers, stream)
      if (round >= warmRounds) rounds[name]!.push(measured)
    }
  }
  return rows(load, rounds, stream)
}

async function run(
  gateways: Gateways,
  gateway: Gateway,
  callers: number,
  stream: boolean,
): Promise<Measured> {
  const before = { own: cpuMs(gateway.pid), database: childrenCpuMs(gateways.postgresPid) }
  const { answers, elapsedMs, refused, refusal } = await runCallers({
    port: gateway.port,
    requests: chatRequests(gateway, { stream, content: PROMPT }),
    connections: callers,
    seconds: SECONDS,
    endsWith: stream ? 'data: [DONE]' : '"usage":{',
  })
  if (refused > 0)
    console.log(`  (${gateway.name} refused ${refused} of ${refused + answers} calls)`)
  const { ours, defaults } = gateways.all
  if (refused > 0 && [ours.port, defaults.port].includes(gateway.port)) throw new Error(refusal)
  const perCall = 1000 / answers
  return {
    perS: (answers * 1000) / elapsedMs,
    cpuUs: (cpuMs(gateway.pid) - before.own) * perCall,
    databaseUs: (childrenCpuMs(gateways.postgresPid) - before.database) * perCall,
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

const NAMES: Record<Compared, string> = {
  bare: 'bare proxy',
  portkey: 'Portkey',
  ours: 'Mlango, billed',
  hot: 'Mlango, all on one account',
  defaults: 'Mlango, with its own database',
}

function rows(load: Load, rounds: Rounds, stream: boolean): Row[] {
  const title = (name: Compared) =>
    `${NAMES[name]}: ${stream ? 'streamed' : 'whole'}, ${load.callers} callers`
  const against = (name: Compared, other: Compared, figure: (one: Measured) => number) =>
    median(rounds[name]!.map((one, i) => figure(one) / figure(rounds[other]![i]!)))
  const atLeast = stream ? load.streamedAtLeast : load.wholeAtLeast
  const speed = load.compared.map((name): Row => {
    const row = {
      what: title(name),
      value: median(rounds[name]!.map((one) => one.perS)),
      unit: 'calls/s',
    }
    if (name === 'bare' || name === 'portkey') return row
    const of = name === 'defaults' ? 'ours' : 'bare'
    const value = against(name, of, (one) => one.perS)
    const goal = name === 'ours' && atLeast !== undefined ? { atLeast } : {}
    return { ...row, ratio: { of: NAMES[of], value, ...goal } }
  })
  const cpu = load.compared.filter((name) => name !== 'hot' && name !== 'defaults')
  return [...speed, ...cpu.flatMap((name) => cpuRows(name))]

  function cpuRows(name: Compared): Row[] {
    const ofBare = (one: Measured, i: number) =>
      (one.cpuUs + (name === 'ours' ? one.databaseUs : 0)) / rounds.bare![i]!.cpuUs
    const goal = name === 'ours' && !stream && load.cpuAtMost ? { atMost: load.cpuAtMost } : {}
    const own = {
      what: `${title(name)}, processor`,
      value: median(rounds[name]!.map((one) => one.cpuUs)),
      unit: 'µs/call',
    }
    const ratio = { of: NAMES.bare, value: median(rounds[name]!.map(ofBare)), ...goal }
    if (name !== 'ours') return [{ ...own, ratio }]
    const database = {
      what: `its database: ${stream ? 'streamed' : 'whole'}, ${load.callers} callers, processor`,
      value: median(rounds.ours!.map((one) => one.databaseUs)),
      unit: 'µs/call',
      ratio: { ...ratio, of: `${NAMES.bare}, both together` },
    }
    return [own, database]
  }
}

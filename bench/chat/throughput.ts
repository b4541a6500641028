import type { Row } from '../row.ts'
import { runCallers } from './callers.ts'
import { MODEL, type Gateways, type Gateway } from './gateways.ts'
import { median } from '../statistics.ts'
import { childrenCpuMs, cpuMs } from './process-stats.ts'

/** The compiler and the garbage collector need several seconds of load to reach a steady state. */
const WARM_ROUNDS = 4
const ROUNDS = 5
const SECONDS = 1.5
/** Calls to models take long, so many run at the same time. */
const CONNECTIONS = 512

type Measured = { perS: number; cpuUs: number; databaseUs: number }
type Compared = Omit<Gateways['all'], 'direct'>

/** Calls per second and processor time per call; in turns, so that a disturbance affects all. */
export async function measureThroughput(gateways: Gateways, stream: boolean): Promise<Row[]> {
  const { direct: _, ...compared } = gateways.all
  const rounds: Record<keyof Compared, Measured[]> = {
    bare: [],
    portkey: [],
    ours: [],
    hot: [],
    defaults: [],
  }
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
    for (const name of Object.keys(compared) as (keyof Compared)[]) {
      const measured = await run(gateways, compared[name], stream)
      if (round >= WARM_ROUNDS) rounds[name].push(measured)
    }
  }
  return rows(stream ? 'streamed' : 'whole', rounds)
}

async function run(gateways: Gateways, gateway: Gateway, stream: boolean): Promise<Measured> {
  const before = { own: cpuMs(gateway.pid), database: childrenCpuMs(gateways.postgresPid) }
  const { answers, elapsedMs, refused, refusal } = await runCallers({
    port: gateway.port,
    requests: chatRequests(gateway, { stream, content: PROMPT }),
    connections: CONNECTIONS,
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

function rows(how: string, rounds: Record<keyof Compared, Measured[]>): Row[] {
  const middle = (name: keyof Compared, what: keyof Measured) =>
    median(rounds[name].map((one) => one[what]))
  const against = (name: keyof Compared, what: keyof Measured, other: keyof Compared) =>
    median(rounds[name].map((one, i) => one[what] / rounds[other][i]![what]))
  const calls = (who: string, name: keyof Compared) => ({
    what: `${who}: ${how}`,
    value: middle(name, 'perS'),
    unit: 'calls/s',
  })
  const cpu = (who: string, name: keyof Compared) => ({
    what: `${who}: ${how}, processor per call`,
    value: middle(name, 'cpuUs'),
    unit: 'µs',
    ratio: { of: 'bare proxy', value: against(name, 'cpuUs', 'bare') },
  })
  const versus = (name: keyof Compared, other: 'bare' | 'portkey') => {
    const [of, atLeast] = other === 'bare' ? ['bare proxy', 0.5] : ['Portkey', 4]
    return { of, value: against(name, 'perS', other), atLeast } as const
  }
  return [
    calls('bare proxy', 'bare'),
    calls('Portkey', 'portkey'),
    { ...calls('Mlango, billed', 'ours'), ratio: versus('ours', 'bare') },
    { ...calls('Mlango, billed', 'ours'), ratio: versus('ours', 'portkey') },
    { ...calls('Mlango, all on one account', 'hot'), ratio: versus('hot', 'bare') },
    {
      ...calls('Mlango, billed, with its own database', 'defaults'),
      ratio: { of: 'the same on a server', value: against('defaults', 'perS', 'ours') },
    },
    cpu('bare proxy', 'bare'),
    cpu('Portkey', 'portkey'),
    cpu('Mlango', 'ours'),
    {
      what: `its database: ${how}, processor per call`,
      value: middle('ours', 'databaseUs'),
      unit: 'µs',
    },
  ]
}

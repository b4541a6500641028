import type { Row } from '../row.ts'
import { send } from './callers.ts'
import { MODEL, type Field, type Runner } from './field.ts'
import { median } from './middle.ts'
import { childrenCpuMs, cpuMs } from './vitals.ts'

/** Compilers and collectors need several seconds of load before a process runs as it will for days. */
const WARM_ROUNDS = 4
const ROUNDS = 5
const SECONDS = 1.5
/** Calls to models last long: many are under way at any time. */
const CONNECTIONS = 512

type Lap = { perS: number; cpuUs: number; databaseUs: number }
type Racers = { bare: Runner; portkey: Runner; ours: Runner; hot: Runner }

/** Calls per second and processor time per call, in turns so that noise hits all alike. */
export async function race(field: Field, stream: boolean): Promise<Row[]> {
  const { bare, portkey, ours, hot } = field.runners
  const racers: Racers = { bare, portkey, ours, hot }
  const laps = { bare: [], portkey: [], ours: [], hot: [] } as Record<keyof Racers, Lap[]>
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
    for (const name of Object.keys(racers) as (keyof Racers)[]) {
      const lap = await run(field, racers[name], stream)
      if (round >= WARM_ROUNDS) laps[name].push(lap)
    }
  }
  return rows(stream ? 'streamed' : 'whole', laps)
}

async function run(field: Field, runner: Runner, stream: boolean): Promise<Lap> {
  const before = { own: cpuMs(runner.pid), database: childrenCpuMs(field.postgresPid) }
  const { answers, elapsedMs, refused, refusal } = await send({
    port: runner.port,
    requests: chatRequests(runner, { stream, content: PROMPT }),
    connections: CONNECTIONS,
    seconds: SECONDS,
    endsWith: stream ? 'data: [DONE]' : '"usage":{',
  })
  if (refused > 0)
    console.log(`  (${runner.name} refused ${refused} of ${refused + answers} calls)`)
  if (refused > 0 && runner.port === field.runners.ours.port) throw new Error(refusal)
  const perCall = 1000 / answers
  return {
    perS: (answers * 1000) / elapsedMs,
    cpuUs: (cpuMs(runner.pid) - before.own) * perCall,
    databaseUs: (childrenCpuMs(field.postgresPid) - before.database) * perCall,
  }
}

const PROMPT = 'Niandikie barua fupi ya kuomba likizo ya siku tatu kazini, kwa heshima. '.repeat(4)

/** One request per caller of the runner, ready for the wire. */
export function chatRequests(
  runner: Runner,
  asked: { stream: boolean; content: string },
): string[] {
  const body = JSON.stringify({
    model: MODEL,
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: asked.content },
    ],
    max_tokens: 400,
    temperature: 0.7,
    ...(asked.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  })
  const head = `Host: bench\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return runner.headers.map(
    (headers) => `POST /v1/chat/completions HTTP/1.1\r\n${head}${headers}\r\n${body}`,
  )
}

function rows(how: string, laps: Record<keyof Racers, Lap[]>): Row[] {
  const middle = (name: keyof Racers, what: keyof Lap) => median(laps[name].map((lap) => lap[what]))
  const against = (name: keyof Racers, what: keyof Lap, other: keyof Racers) =>
    median(laps[name].map((lap, i) => lap[what] / laps[other][i]![what]))
  const calls = (who: string, name: keyof Racers) => ({
    what: `${who}: ${how}`,
    value: middle(name, 'perS'),
    unit: 'calls/s',
  })
  const cpu = (who: string, name: keyof Racers) => ({
    what: `${who}: ${how}, processor per call`,
    value: middle(name, 'cpuUs'),
    unit: 'µs',
    ratio: { of: 'bare proxy', value: against(name, 'cpuUs', 'bare') },
  })
  const versus = (name: keyof Racers, other: 'bare' | 'portkey') => {
    const [of, atLeast] = other === 'bare' ? ['bare proxy', 0.5] : ['Portkey', 4]
    return { of, value: against(name, 'perS', other), atLeast } as const
  }
  return [
    calls('bare proxy', 'bare'),
    calls('Portkey', 'portkey'),
    { ...calls('Mlango, billed', 'ours'), ratio: versus('ours', 'bare') },
    { ...calls('Mlango, billed', 'ours'), ratio: versus('ours', 'portkey') },
    { ...calls('Mlango, all on one account', 'hot'), ratio: versus('hot', 'bare') },
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

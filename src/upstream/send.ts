import { Readable } from 'node:stream'
import { Agent } from 'undici'
import { byteFlow, capped, gather } from './byte-flow.ts'
import type { AnswerHead, HttpCall, JsonAnswer, SseEvent, Timeouts } from './contract.ts'
import { Deadline, DEFAULT_TIMEOUTS } from './deadline.ts'
import { Fault, StatusFault } from './fault.ts'
import { eventFlow } from './events.ts'
import { Inbound, type ResponseHead } from './inbound.ts'
import { parseJson } from './json.ts'
import { retryAfterSeconds } from './retry-after.ts'
import { socketFault } from './socket-fault.ts'
import type { Flow } from './work.ts'

const JSON_CAP = 32 * 1024 * 1024
const BYTES_CAP = 1024 * 1024 * 1024
const ERROR_BODY_CAP = 64 * 1024
const HEADER_CAP = 16 * 1024
const CONNECTIONS_PER_ORIGIN = 512

/** The only one that opens a connection to a model provider. It throws only Faults. */
export type Sender = {
  json(place: Place, call: HttpCall, signal?: AbortSignal): Promise<JsonAnswer>
  events(place: Place, call: HttpCall, signal?: AbortSignal): Promise<EventAnswer>
  bytes(place: Place, call: HttpCall, signal?: AbortSignal): Promise<BytesAnswer>
  close(): Promise<void>
}

/** Where an upstream is. `headers` carry its key. */
export type Place = { origin: string; basePath: string; headers: Record<string, string> }
type EventAnswer = AnswerHead & { events: Flow<readonly SseEvent[]> }
type BytesAnswer = AnswerHead & { bytes: Flow<Buffer> }

export function createSender(defaults: Partial<Timeouts> = {}): Sender {
  const agents = new Map<number, Agent>()
  const open = async (place: Place, call: HttpCall, signal: AbortSignal | undefined) => {
    const limits = { ...DEFAULT_TIMEOUTS, ...defaults, ...call.timeouts }
    return openWire(agentFor(agents, limits.connectMs), place, call, new Deadline(limits, signal))
  }
  return {
    json: async (place, call, signal) => {
      const wire = await open(place, call, signal)
      const bytes = await gather(wire.bytes, call.maxBytes ?? JSON_CAP)
      return { status: wire.status, headers: wire.headers, json: parseJson(bytes) }
    },
    events: async (place, call, signal) => {
      const wire = await open(place, call, signal)
      await refuseOtherThanEvents(wire)
      return { ...wire, events: eventFlow(wire.bytes, call.maxEventBytes) }
    },
    bytes: async (place, call, signal) => {
      const wire = await open(place, call, signal)
      return { ...wire, bytes: capped(wire.bytes, call.maxBytes ?? BYTES_CAP) }
    },
    close: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  }
}

function agentFor(agents: Map<number, Agent>, connectMs: number): Agent {
  let agent = agents.get(connectMs)
  if (!agent) {
    agent = new Agent({
      connect: { timeout: connectMs },
      connections: CONNECTIONS_PER_ORIGIN,
      maxHeaderSize: HEADER_CAP,
      // Our own clocks are exact and know a slow reader from a silent upstream.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    })
    agents.set(connectMs, agent)
  }
  return agent
}

type Wire = AnswerHead & { bytes: Flow<Buffer> }

async function openWire(
  agent: Agent,
  place: Place,
  call: HttpCall,
  deadline: Deadline,
): Promise<Wire> {
  const inbound = new Inbound()
  const answer = await dispatch(agent, { place, call, deadline, inbound })
  const headers = allowed(answer.headers)
  const bytes = byteFlow(inbound, deadline)
  const wire = { status: answer.status, headers, bytes }
  if (wire.status >= 300 && wire.status < 400) throw drop(wire, new Fault('redirect', 'status'))
  const encoding = answer.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw drop(wire, new Fault('garbage', 'content_encoding'))
  }
  if (wire.status < 200 || wire.status > 299) throw await statusFault(wire)
  return wire
}

type Asked = { place: Place; call: HttpCall; deadline: Deadline; inbound: Inbound }

async function dispatch(
  agent: Agent,
  { place, call, deadline, inbound }: Asked,
): Promise<ResponseHead> {
  try {
    if (deadline.fault) throw deadline.fault
    deadline.close = (fault) => inbound.abort(fault)
    const request = {
      origin: place.origin,
      path: place.basePath + call.path,
      method: call.method,
      headers: {
        'user-agent': 'mlango',
        accept: call.expects === 'sse' ? 'text/event-stream' : '*/*',
        'accept-encoding': 'identity',
        ...call.headers,
        ...lengthOf(call),
        ...place.headers,
      },
      body: bodyOf(call),
    }
    agent.dispatch(request, inbound)
    return await inbound.head
  } catch (error) {
    deadline.settle()
    throw deadline.fault ?? socketFault(error)
  }
}

/** Read afresh for each attempt. */
function bodyOf({ body }: HttpCall): string | Buffer | Readable | null {
  if (body === undefined) return null
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body
  return Readable.from(body.read(), { objectMode: false })
}

function lengthOf({ body }: HttpCall): Record<string, string> {
  const pieces = typeof body === 'object' && !Buffer.isBuffer(body)
  return pieces ? { 'content-length': String(body.length) } : {}
}

const KEPT = [
  'content-type',
  'content-length',
  'content-range',
  'accept-ranges',
  'retry-after',
  'x-generation-id',
] as const

function allowed(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of KEPT) {
    const value = headers[name]
    if (typeof value === 'string') kept[name] = value
  }
  return kept
}

function drop(wire: Wire, fault: Fault): Fault {
  wire.bytes.cancel()
  return fault
}

async function statusFault(wire: Wire): Promise<StatusFault> {
  let body: unknown
  try {
    body = parseJson(await gather(wire.bytes, ERROR_BODY_CAP))
  } catch {
    // The status alone says enough; what came with it was no JSON, too long, or broke off.
  }
  return new StatusFault(
    wire.status,
    body,
    retryAfterSeconds(wire.headers['retry-after'], Date.now()),
  )
}

/** Some upstreams answer a stream request with a JSON error and 200, or with a web page. */
async function refuseOtherThanEvents(wire: Wire): Promise<void> {
  const type = wire.headers['content-type'] ?? ''
  if (type.includes('json')) {
    const body = parseJson(await gather(wire.bytes, ERROR_BODY_CAP))
    throw new StatusFault(200, body)
  }
  if (type.includes('html')) throw drop(wire, new Fault('garbage', 'html'))
}

import { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import type { AnswerHead, HttpCall, JsonAnswer, SseEvent, Timeouts } from '../contract/contract.ts'
import { Deadline, DEFAULT_TIMEOUTS } from './deadline.ts'
import { Fault, StatusFault } from '../contract/fault.ts'
import { Events } from './events.ts'
import { Inbound } from './inbound.ts'
import { parseJson } from '../contract/json.ts'
import { retryAfterSeconds } from '../contract/retry-after.ts'
import { capped, gather, type Source } from './source.ts'

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
type EventAnswer = AnswerHead & { events: Source<readonly SseEvent[]> }
type BytesAnswer = AnswerHead & { bytes: Source<Buffer> }

export function createSender(defaults: Partial<Timeouts> = {}): Sender {
  const agents = new Map<number, Agent>()
  const usual = { ...DEFAULT_TIMEOUTS, ...defaults }
  const open = (place: Place, call: HttpCall, signal: AbortSignal | undefined) => {
    const limits = { ...usual, ...call.timeouts }
    const agent = agentFor(agents, limits.connectMs)
    return openWire(agent, place, call, new Deadline(limits, signal))
  }
  return {
    json: async (place, call, signal) => {
      const { status, headers, bytes } = await open(place, call, signal)
      const body = await gather(bytes, call.maxBytes ?? JSON_CAP)
      return { status, headers, json: parseJson(body) }
    },
    events: async (place, call, signal) => {
      const wire = await open(place, call, signal)
      const type = wire.headers['content-type'] ?? ''
      // Some answer a stream request with a JSON error and 200, or with a web page.
      if (type.includes('json')) throw await errorIn(wire)
      if (type.includes('html')) throw drop(wire, new Fault('garbage', 'html'))
      const { status, headers, bytes } = wire
      return { status, headers, events: new Events(bytes, call.maxEventBytes) }
    },
    bytes: async (place, call, signal) => {
      const { status, headers, bytes } = await open(place, call, signal)
      return { status, headers, bytes: capped(bytes, call.maxBytes ?? BYTES_CAP) }
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

type Wire = AnswerHead & { bytes: Source<Buffer> }

async function openWire(
  agent: Agent,
  place: Place,
  call: HttpCall,
  deadline: Deadline,
): Promise<Wire> {
  if (deadline.fault) throw deadline.fault
  const bytes = new Inbound(deadline)
  agent.dispatch(requestOf(place, call), bytes)
  const answer = await bytes.head
  const wire = { status: answer.status, headers: allowed(answer.headers), bytes }
  if (wire.status >= 300 && wire.status < 400) throw drop(wire, new Fault('redirect', 'status'))
  const encoding = answer.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw drop(wire, new Fault('garbage', 'content_encoding'))
  }
  if (wire.status < 200 || wire.status > 299) throw await statusFault(wire)
  return wire
}

function requestOf(place: Place, call: HttpCall): Dispatcher.DispatchOptions {
  return {
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

async function errorIn(wire: Wire): Promise<StatusFault> {
  return new StatusFault(200, parseJson(await gather(wire.bytes, ERROR_BODY_CAP)))
}

import { parseForeignJson } from '../../lib/json.ts'
import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import type { AnswerHead, HttpCall, JsonAnswer, SseEvent, Timeouts } from '../contract/contract.ts'
import { retryAfterSeconds } from '../contract/error-status.ts'
import { UpstreamError, StatusError } from '../contract/upstream-error.ts'
import { Events } from './events.ts'
import { Deadline, DEFAULT_TIMEOUTS, Inbound } from './inbound.ts'
import type { Source } from './source.ts'

const JSON_CAP = 32 * 1024 * 1024
const BYTES_CAP = 1024 * 1024 * 1024
const ERROR_BODY_CAP = 64 * 1024
const HEADER_CAP = 16 * 1024
const CONNECTIONS_PER_ORIGIN = 512

/** Opens all connections to model providers. Throws only UpstreamErrors. */
export type HttpSender = {
  json(to: Endpoint, call: HttpCall, signal?: AbortSignal): Promise<JsonAnswer>
  events(to: Endpoint, call: HttpCall, signal?: AbortSignal): Promise<EventAnswer>
  bytes(to: Endpoint, call: HttpCall, signal?: AbortSignal): Promise<BytesAnswer>
  close(): Promise<void>
}

/** `headers` contain the key. */
export type Endpoint = { origin: string; basePath: string; headers: Record<string, string> }
type EventAnswer = AnswerHead & { events: Source<readonly SseEvent[]> }
type BytesAnswer = AnswerHead & { bytes: Source<Buffer> }
type OpenAnswer = AnswerHead & { bytes: Inbound }

export function createHttpSender(defaults: Partial<Timeouts> = {}): HttpSender {
  const agents = new Map<number, Agent>()
  const usual = { ...DEFAULT_TIMEOUTS, ...defaults }
  const open = (to: Endpoint, call: HttpCall, signal: AbortSignal | undefined) => {
    const limits = { ...usual, ...call.timeouts }
    const agent = agentFor(agents, limits.connectMs)
    return openAnswer(agent, to, call, new Deadline(limits, signal))
  }
  return {
    json: async (to, call, signal) => {
      const { status, headers, bytes } = await open(to, call, signal)
      bytes.cap = call.maxBytes ?? JSON_CAP
      return { status, headers, json: parseJsonBody(await gather(bytes)) }
    },
    events: async (to, call, signal) => {
      const answer = await open(to, call, signal)
      const type = answer.headers['content-type'] ?? ''
      // Some answer a stream request with 200 and a JSON error or a web page.
      if (type.includes('json')) throw new StatusError(200, await errorBody(answer))
      if (type.includes('html')) throw drop(answer, new UpstreamError('garbage', 'page'))
      const { status, headers, bytes } = answer
      return { status, headers, events: new Events(bytes, call.maxEventBytes) }
    },
    bytes: async (to, call, signal) => {
      const answer = await open(to, call, signal)
      answer.bytes.cap = call.maxBytes ?? BYTES_CAP
      return answer
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
      // Our own clocks distinguish a slow reader from a silent upstream.
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    })
    agents.set(connectMs, agent)
  }
  return agent
}

async function openAnswer(
  agent: Agent,
  to: Endpoint,
  call: HttpCall,
  deadline: Deadline,
): Promise<OpenAnswer> {
  if (deadline.error) throw deadline.error
  const bytes = new Inbound(deadline)
  agent.dispatch(requestOf(to, call), bytes)
  const { status, headers } = await bytes.head
  const answer = { status, headers: keptHeaders(headers), bytes }
  if (status >= 300 && status < 400) throw drop(answer, new UpstreamError('redirect', 'status'))
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw drop(answer, new UpstreamError('garbage', 'content_encoding'))
  }
  if (status < 200 || status > 299) throw await statusError(answer)
  return answer
}

function requestOf(to: Endpoint, call: HttpCall): Dispatcher.DispatchOptions {
  return {
    origin: to.origin,
    path: to.basePath + call.path,
    method: call.method,
    headers: {
      'user-agent': 'mlango',
      accept: call.expects === 'sse' ? 'text/event-stream' : '*/*',
      'accept-encoding': 'identity',
      ...call.headers,
      ...bodyHeaders(call),
      ...to.headers,
    },
    body: bodyOf(call),
  }
}

/** New for each attempt. */
function bodyOf({ json, body }: HttpCall): string | Readable | null {
  if (json !== undefined) return JSON.stringify(json)
  return body === undefined ? null : Readable.from(body.read(), { objectMode: false })
}

function bodyHeaders({ json, body }: HttpCall): Record<string, string> {
  if (json !== undefined) return { 'content-type': 'application/json' }
  return body === undefined ? {} : { 'content-length': String(body.length) }
}

const KEPT = [
  'content-type',
  'content-length',
  'content-range',
  'accept-ranges',
  'retry-after',
  'x-generation-id',
] as const

function keptHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of KEPT) {
    const value = headers[name]
    if (typeof value === 'string') kept[name] = value
  }
  return kept
}

function drop(answer: OpenAnswer, error: UpstreamError): UpstreamError {
  answer.bytes.cancel()
  return error
}

async function statusError(answer: OpenAnswer): Promise<StatusError> {
  let body: unknown
  try {
    body = await errorBody(answer)
  } catch {
    // Not JSON, too long or cut short: the status says enough.
  }
  const retryAfterS = retryAfterSeconds(answer.headers['retry-after'], Date.now())
  return new StatusError(answer.status, body, retryAfterS)
}

async function errorBody({ bytes }: OpenAnswer): Promise<unknown> {
  bytes.cap = ERROR_BODY_CAP
  return parseJsonBody(await gather(bytes))
}

/** Reads to the end. */
export async function gather(source: Source<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for (;;) {
    if (!source.ready) await source.more()
    const part = source.take()
    if (part === undefined) return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
    parts.push(part)
  }
}

/** Slow answers are kept alive with leading newlines. */
function parseJsonBody(bytes: Buffer): unknown {
  try {
    if (!isUtf8(bytes)) throw new UpstreamError('garbage', 'json')
    return parseForeignJson(bytes)
  } catch {
    throw new UpstreamError('garbage', isPage(bytes) ? 'page' : 'json')
  }
}

/** Nothing, or a web page: what stands between us and the upstream may say it with a 2xx. */
function isPage(bytes: Buffer): boolean {
  const first = bytes.find((byte) => byte > 0x20)
  return first === undefined || first === 0x3c
}

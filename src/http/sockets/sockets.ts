import { ServerResponse, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import { Failure } from '../../lib/failure.ts'
import { admit } from '../admit.ts'
import { renderFailure } from '../dialect.ts'
import { mayCallByKey } from '../headers.ts'
import { overloaded } from '../limits/capacity.ts'
import { subscriberOf } from '../limits/process-counter.ts'
import { RequestContext } from '../request-context.ts'
import type { RoutePlan } from '../route.ts'
import { fail, logAnswer } from '../send.ts'
import type { ServerContext } from '../server-context.ts'
import { RESTARTING, SocketConnection } from './connection.ts'
import { errorFrame } from './frame-reply.ts'
import { LOOK_MS } from './progress.ts'

const MOST_OPEN = 2_000
/** How long whoever is told to close may take to answer. The types of the package lack it. */
const NOT_TYPED = { closeTimeout: 5_000 }
const MOST_OF_ACCOUNT = 50
/** As the body of a call by HTTP. */
const LARGEST_MESSAGE_BYTES = 14_500_000

/**
 * Everything that the calls of a connection know of the request that opened it. Above all no cookie,
 * no key but the bearer, and no idempotency key.
 */
const KEPT_HEADERS = new Set([
  'host',
  'connection',
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'authorization',
  'origin',
  'traceparent',
  'x-forwarded-for',
  // The name of the conversation.
  'x-session-id',
  'session_id',
  'session-id',
  'conversation_id',
])

/** The open sockets of a process, and how one is opened. */
export class Sockets {
  readonly #context: ServerContext
  readonly #plans: Map<string, RoutePlan>
  readonly #open = new Map<SocketConnection, string>()
  readonly #server: WebSocketServer
  readonly #ids = new WeakMap<IncomingMessage, string>()
  #looking: NodeJS.Timeout | undefined

  constructor(context: ServerContext, plans: readonly RoutePlan[]) {
    this.#context = context
    const placed = plans.filter(({ route }) => route.socket !== undefined)
    this.#plans = new Map(placed.map((plan) => [plan.route.path, plan]))
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // What is sent compressed may be a thousand times as large.
      perMessageDeflate: false,
      maxPayload: LARGEST_MESSAGE_BYTES,
      autoPong: false,
      ...NOT_TYPED,
      handleProtocols: () => false,
      WebSocket: ExplainingSocket,
    })
    this.#server.on('headers', (lines, request) => {
      lines.push(`X-Request-Id: ${this.#ids.get(request)}`)
    })
  }

  /** Any other request to upgrade is answered as if it had not asked. */
  wants({ method, url, headers }: IncomingMessage): boolean {
    const asks = String(headers.upgrade).toLowerCase() === 'websocket'
    return asks && method === 'GET' && this.#plans.has(pathOf(url!))
  }

  /** A refusal is an ordinary answer. */
  async open(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    const response = responseOn(request, stream)
    keepHeaders(request)
    const plan = this.#plans.get(pathOf(request.url!))!
    const call = new RequestContext(this.#context, plan, request, response)
    try {
      await this.#admit(call)
    } catch (error) {
      return fail(call, error)
    }
    response.detachSocket(stream as Socket)
    this.#ids.set(request, call.requestId)
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      this.#begin(call, socket, stream as Socket)
    })
    logAnswer(call, SWITCHING)
    call.end()
  }

  /** Each connection closes when its running calls have ended. */
  drain(): void {
    for (const connection of this.#open.keys()) connection.endWith(RESTARTING)
  }

  terminate(): void {
    for (const connection of this.#open.keys()) connection.terminate()
  }

  async #admit(call: RequestContext): Promise<void> {
    const { capacity, running, cors } = this.#context
    const { origin, authorization } = call.headers
    checkHandshake(call)
    if (running.draining) throw RESTARTING.failure
    capacity.admit(running.count)
    if (origin !== undefined && !mayCallByKey(cors, origin)) throw foreignOrigin()
    if (authorization === undefined) throw withoutBearer()
    await admit(call)
    if (this.#open.size >= MOST_OPEN) throw overloaded()
    const { accountId } = call.principal!
    const own = [...this.#open.values()].filter((account) => account === accountId)
    if (own.length >= MOST_OF_ACCOUNT) throw tooManyOpen()
  }

  #begin(call: RequestContext, socket: WebSocket, stream: Socket): void {
    const { capacity } = this.#context
    const { accountId } = call.principal!
    const sharers = [
      capacity.join('address', subscriberOf(call.address), 'sockets'),
      capacity.join('account', accountId, 'sockets'),
    ]
    const opened = { socket, stream, request: call.request, sharers }
    const connection = new SocketConnection(this.#context, opened, call.plan.route.socket!)
    this.#open.set(connection, accountId)
    this.#looking ??= setInterval(() => this.look(performance.now()), LOOK_MS).unref()
    socket.once('close', () => this.#forget(connection))
    // The drain may have begun meanwhile.
    if (this.#context.running.draining) connection.endWith(RESTARTING)
  }

  /** Called every few seconds, while any is open. */
  look(nowMs: number): void {
    for (const connection of this.#open.keys()) connection.look(nowMs)
  }

  #forget(connection: SocketConnection): void {
    this.#open.delete(connection)
    if (this.#open.size > 0) return
    clearInterval(this.#looking)
    this.#looking = undefined
  }
}

const SWITCHING = 101
/** Closes that answer a bad frame, and what is wrong with it. */
const EXPLAINED: Record<number, Failure> = {
  1002: new Failure('invalid', 'The frame breaks the WebSocket protocol.'),
  1007: new Failure('invalid', 'The message is not valid UTF-8.'),
  1009: new Failure('too_large', `The message is larger than ${LARGEST_MESSAGE_BYTES} bytes.`),
}

/** Says why it closes. The package itself sends the number alone. */
class ExplainingSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    const failure = reason === undefined ? EXPLAINED[code ?? 0] : undefined
    if (failure === undefined) return super.close(code, reason)
    const { status, headers, body } = renderFailure(failure, 'compatible', '')
    if (this.readyState === this.OPEN) this.send(errorFrame({ status, headers }, body))
    super.close(code, failure.message)
  }
}

function pathOf(url: string): string {
  return url.split('?', 1)[0]!
}

/** Node gives the bare connection to whoever upgrades it; until then it can be answered. */
function responseOn(request: IncomingMessage, stream: Duplex): ServerResponse {
  const response = new ServerResponse(request)
  response.assignSocket(stream as Socket)
  response.shouldKeepAlive = false
  response.once('finish', () => (stream as Socket).destroySoon())
  stream.on('error', () => stream.destroy())
  return response
}

function keepHeaders({ headers }: IncomingMessage): void {
  for (const name of Object.keys(headers)) if (!KEPT_HEADERS.has(name)) delete headers[name]
}

const HANDSHAKE_KEY = /^[+/0-9A-Za-z]{22}==$/

function checkHandshake({ headers, request }: RequestContext): void {
  if (headers.host === undefined && request.httpVersion === '1.1') {
    throw new Failure('invalid', 'The Host header is missing.', { param: 'Host' })
  }
  const named = [headers['sec-websocket-version'], headers['sec-websocket-key']] as string[]
  if (named[0] === '13' && HANDSHAKE_KEY.test(named[1] ?? '')) return
  const sentence = 'A WebSocket needs Sec-WebSocket-Version 13 and a Sec-WebSocket-Key of 16 bytes.'
  throw new Failure('invalid', sentence, {
    param: 'Sec-WebSocket-Key',
    headers: { 'sec-websocket-version': '13' },
  })
}

function withoutBearer(): Failure {
  const sentence = 'A WebSocket takes its key in the Authorization header alone: `Bearer <key>`.'
  return new Failure('unauthorized', sentence)
}

function foreignOrigin(): Failure {
  return new Failure('forbidden', 'Pages of this origin may not open a WebSocket here.', {
    param: 'Origin',
  })
}

function tooManyOpen(): Failure {
  const sentence = `This account has ${MOST_OF_ACCOUNT} connections open. Close one, or use POST.`
  return new Failure('rate_limited', sentence, { retryAfterS: 5 })
}

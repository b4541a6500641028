import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { Failure } from '../../lib/failure.ts'
import { fieldsOf, textOf } from '../../lib/json.ts'
import { renderFailure } from '../dialect.ts'
import { overloaded, type Sharer } from '../limits/capacity.ts'
import { RequestContext } from '../request-context.ts'
import { planOf, type SocketPeer, type Route, type RoutePlan } from '../route.ts'
import { fail } from '../send.ts'
import { serveMessage } from '../serve.ts'
import type { ServerContext } from '../server-context.ts'
import { errorFrame, FrameReply, type Wire } from './frame-reply.ts'
import { SocketProgress } from './progress.ts'

/** Messages whose answers are not all taken: those at work, those that wait, and errors unread. */
const MOST_UNANSWERED = 64
const LONGEST_MS = 3_600_000
const IDLE_MS = 600_000
/** A masked control frame has so much beside its data. */
const CONTROL_HEAD_BYTES = 6

/** Why a connection takes no more messages, and how it is closed once the running ones have ended. */
type Farewell = { code: number; failure: Failure; tells?: boolean }

type OpenCall = { call: RequestContext; reply: FrameReply }

/** What a connection is opened with. `sharers` count its memory. */
type Opened = {
  socket: WebSocket
  stream: Socket
  request: IncomingMessage
  sharers: readonly Sharer[]
}

/** One open socket. Each of its messages is a call like any other, from admission to its record. */
export class SocketConnection implements SocketPeer {
  readonly #context: ServerContext
  readonly #wire: Wire & { stream: Socket }
  readonly #request: IncomingMessage
  readonly #sharers: readonly Sharer[]
  readonly #plan: RoutePlan
  readonly #open = new Map<string, OpenCall>()
  readonly #progress: SocketProgress
  readonly #openedMs = performance.now()
  #quietSinceMs = performance.now()
  #farewell: Farewell | undefined
  /** Of a message that is not whole yet; of what the calls keep between them. */
  #arrivedBytes = 0
  #keptBytes = 0

  constructor(context: ServerContext, opened: Opened, routeFor: (one: SocketPeer) => Route) {
    const { socket, stream, request, sharers } = opened
    this.#context = context
    this.#wire = { socket, stream }
    this.#request = request
    this.#sharers = sharers
    this.#plan = planOf(namingStreams(routeFor(this), this.#open))
    this.#progress = new SocketProgress(stream, context.settings.SLOWEST_BODY_BYTES_PER_S)
    this.#listen()
  }

  leave(requestId: string): void {
    this.#open.get(requestId)?.reply.destroy()
  }

  hold(bytes: number): boolean {
    const { capacity } = this.#context
    if (bytes > 0 && capacity.refuseBytes(bytes, this.#sharers, 0) !== undefined) return false
    capacity.hold(bytes, this.#sharers)
    this.#keptBytes += bytes
    return true
  }

  /** Called every few seconds. */
  look(nowMs: number): void {
    const { socket } = this.#wire
    if (this.#progress.isStuck(this.#arrivedBytes)) socket.terminate()
    else if (nowMs - this.#openedMs > LONGEST_MS) this.endWith({ ...TOO_OLD, tells: true })
    else if (this.#open.size === 0 && nowMs - this.#quietSinceMs > IDLE_MS) this.endWith(IDLE)
    else if (socket.readyState === socket.OPEN) socket.ping()
  }

  /** No more messages; the connection is closed when those at work are answered. */
  endWith(farewell: Farewell): void {
    this.#farewell ??= farewell
    this.#closeIfIdle()
  }

  terminate(): void {
    this.#wire.socket.terminate()
  }

  #listen(): void {
    const { socket, stream } = this.#wire
    // Before the bytes are read as frames.
    stream.prependListener('data', (chunk: Buffer) => this.#arrive(chunk.length))
    socket.on('message', (data, isBinary) => this.#take(data as Buffer, isBinary))
    socket.on('ping', (data) => {
      this.#arrive(-data.length - CONTROL_HEAD_BYTES)
      // Who pings and reads nothing is not answered again and again.
      if (stream.writableLength === 0) socket.pong(data)
    })
    socket.on('pong', (data) => this.#arrive(-data.length - CONTROL_HEAD_BYTES))
    // What is wrong with a frame was told by the close.
    socket.on('error', () => {})
    socket.on('close', () => this.#closed())
  }

  /** Memory is counted as bytes arrive: a message may be large and never end. */
  #arrive(bytes: number): void {
    const { capacity } = this.#context
    const change = Math.max(bytes, -this.#arrivedBytes)
    const refusal = change > 0 && capacity.refuseBytes(change, this.#sharers, this.#arrivedBytes)
    capacity.hold(change, this.#sharers)
    this.#arrivedBytes += change
    if (!refusal) return
    this.#refuse({ code: TRY_AGAIN_LATER, failure: refusal, tells: true })
    // The rest of the message is not read.
    this.#wire.socket.pause()
  }

  #refuse(farewell: Farewell): void {
    this.#farewell ??= farewell
    this.#close(farewell)
  }

  #take(bytes: Buffer, isBinary: boolean): void {
    this.#arrive(-this.#arrivedBytes)
    if (this.#wire.socket.readyState !== this.#wire.socket.OPEN) return
    if (this.#open.size >= MOST_UNANSWERED) return this.#refuse(TOO_MANY)
    const call = this.#newCall()
    const farewell = this.#farewell
    if (farewell !== undefined) fail(call, farewell.failure)
    else if (isBinary) fail(call, new Failure('invalid', 'A message must be JSON text, not bytes.'))
    else serveMessage(call, bytes)
  }

  #newCall(): RequestContext {
    const { socket, stream } = this.#wire
    const streamOf = () => textOf(fieldsOf(call.body).stream_id)
    const reply = new FrameReply({ socket, stream }, streamOf)
    const ended = () => this.#ended(call, reply)
    const call = new MessageCall(this.#context, this.#plan, this.#request, reply, ended)
    this.#open.set(call.requestId, { call, reply })
    reply.once('close', ended)
    return call
  }

  /** Once its work is let go and its answer taken. */
  #ended(call: RequestContext, reply: FrameReply): void {
    if (!reply.closed || !(call as MessageCall).ended) return
    if (!this.#open.delete(call.requestId)) return
    if (!reply.writableFinished) this.#tellLeft(call, reply)
    if (reply.status === 401 || reply.status === 403) this.#farewell ??= NOT_VALID
    this.#quietSinceMs = performance.now()
    this.#closeIfIdle()
  }

  /** Of a call that was left on purpose, while its connection stays. */
  #tellLeft(call: RequestContext, reply: FrameReply): void {
    const { status, headers, body } = renderFailure(CANCELLED, 'compatible', call.requestId)
    if (this.#wire.socket.readyState !== this.#wire.socket.OPEN) return
    reply.send([errorFrame({ status, headers }, body)], () => {})
  }

  #closeIfIdle(): void {
    if (this.#farewell !== undefined && this.#open.size === 0) this.#close(this.#farewell)
  }

  #close({ code, failure, tells }: Farewell): void {
    const { socket } = this.#wire
    if (socket.readyState !== socket.OPEN) return
    const { status, headers, body } = renderFailure(failure, 'compatible', '')
    if (tells === true) socket.send(errorFrame({ status, headers }, body))
    socket.close(code, failure.message.slice(0, LONGEST_REASON))
  }

  #closed(): void {
    for (const { reply } of this.#open.values()) reply.destroy()
    const { capacity } = this.#context
    capacity.hold(-this.#arrivedBytes - this.#keptBytes, this.#sharers)
    this.#arrivedBytes = this.#keptBytes = 0
    for (const sharer of this.#sharers) capacity.leave(sharer, 'sockets')
  }
}

/** A message of a socket, from its arrival to the end of its answer. */
class MessageCall extends RequestContext {
  ended = false
  readonly #whenEnded: () => void

  constructor(
    context: ServerContext,
    plan: RoutePlan,
    request: IncomingMessage,
    reply: FrameReply,
    whenEnded: () => void,
  ) {
    super(context, plan, request, reply)
    this.#whenEnded = whenEnded
  }

  override end(): void {
    super.end()
    this.ended = true
    this.#whenEnded()
  }
}

/** The body is let go before the first frame is written. */
function namingStreams(route: Route, open: ReadonlyMap<string, OpenCall>): Route {
  return {
    ...route,
    handle(call) {
      open.get(call.requestId)?.reply.noteStream()
      return route.handle(call)
    },
  }
}

const NORMAL = 1000
const POLICY = 1008
const RESTART = 1012
const TRY_AGAIN_LATER = 1013
/** In bytes; ours are plain. */
const LONGEST_REASON = 120

const IDLE = farewell(NORMAL, 'Idle for ten minutes.')
const TOO_MANY = farewell(POLICY, 'Too many messages at once: wait for answers, and read them.')
const NOT_VALID = farewell(POLICY, 'The credential is no longer valid.')
export const RESTARTING = farewell(RESTART, 'The server is shutting down. Connect again.')
const TOO_OLD: Farewell = {
  code: NORMAL,
  failure: new Failure('invalid', 'This connection is 60 minutes old. Open a new one.', {
    code: 'websocket_connection_limit_reached',
  }),
}
const CANCELLED = new Failure('conflict', 'The response was cancelled before its end.', {
  code: 'response_cancelled',
})

function farewell(code: number, sentence: string): Farewell {
  const kind = code === TRY_AGAIN_LATER ? overloaded().kind : 'unavailable'
  return { code, failure: new Failure(kind, sentence, { retryAfterS: 1 }) }
}

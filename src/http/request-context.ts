import type { IncomingMessage } from 'node:http'
import type { Writable } from 'node:stream'
import type { Claim, StorableAnswer } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import type { Form } from '../lib/form.ts'
import { prefixedId, REQUEST } from '../lib/ids.ts'
import type { Principal } from '../accounts/principal.ts'
import { follow, type CallSignal, type RequestTrace } from '../lib/telemetry/trace.ts'
import { renderInterruption } from './dialect.ts'
import { renderSuccess } from './envelope.ts'
import { overloaded, type Sharer, type SharerKind, type RunningCall } from './limits/capacity.ts'
import type { Slot } from './limits/process-counter.ts'
import { readMultipart } from './multipart.ts'
import type { Call, RoutePlan, Success } from './route.ts'
import type { ServerContext } from './server-context.ts'

export function newRequestId(): string {
  return prefixedId(REQUEST)
}

/** Where the answer goes: to Node's own response, or to frames of a socket. */
export type CallReply = Writable & {
  readonly headersSent: boolean
  writeHead(status: number, headers: Record<string, string>): unknown
  writeContinue(): void
  setTimeout(ms: number, ended?: () => void): unknown
}

/**
 * One request from its arrival to its answer, and the `Call` its handler sees. A class, because what
 * most handlers never read (address, signal) is made on first use only.
 */
export class RequestContext implements Call<unknown, unknown, unknown>, RunningCall {
  readonly context: ServerContext
  readonly plan: RoutePlan
  readonly request: IncomingMessage
  readonly response: CallReply
  readonly requestId = newRequestId()
  readonly startedMs = performance.now()
  principal: Principal | undefined = undefined
  slot: Slot | undefined = undefined
  /** Present on routes that count only failed calls: gives back the slot of a good one. */
  giveBackSlot: (() => void) | undefined = undefined
  body: unknown = undefined
  query: unknown = undefined
  params: unknown = undefined
  claim: Claim | undefined = undefined
  form: (() => Promise<Form>) | undefined = undefined
  /** What was wrong with the body, until `validateInput` comes to the body. */
  bodyFailure: Failure | undefined = undefined
  cutBody: ((failure: Failure) => void) | undefined = undefined
  place = 0
  readonly trace: RequestTrace | undefined
  #controller: AbortController | undefined = undefined
  readonly #sharers: Sharer[] = []
  #ended = false
  #stays: () => boolean | Promise<boolean> = () => false
  #bodyBytes = 0
  #answerBytes = 0

  constructor(
    context: ServerContext,
    plan: RoutePlan,
    request: IncomingMessage,
    response: CallReply,
  ) {
    this.context = context
    this.plan = plan
    this.request = request
    this.response = response
    this.trace = traceOf(this)
    context.running.begin(this)
  }

  get headers(): Call<unknown, unknown, unknown>['headers'] {
    return this.request.headers
  }

  get address(): string {
    const forwarded = this.context.settings.TRUST_PROXY && forwardedFor(this.request)
    // None on a connection that is closed already.
    return forwarded || this.request.socket.remoteAddress || ''
  }

  get signal(): CallSignal {
    this.#controller ??= this.#watch(new AbortController())
    return this.#controller.signal
  }

  /** The caller is gone and no answer can reach them. */
  get left(): boolean {
    return this.response.destroyed && !this.response.writableFinished
  }

  /** How often a header was sent. Node joins or drops duplicates, so only the raw list knows. */
  occurrences(name: string): number {
    const { rawHeaders } = this.request
    let count = 0
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const sent = rawHeaders[at]!
      if (sent.length === name.length && sent.toLowerCase() === name) count++
    }
    return count
  }

  render(success: Success): StorableAnswer {
    return renderSuccess(success, {
      dialect: this.plan.route.dialect,
      status: this.plan.successStatus,
      requestId: this.requestId,
    })
  }

  renderError(error: unknown): string {
    return renderInterruption(error, this.plan.route.dialect, this.requestId)
  }

  acceptForm(): void {
    const form = () => {
      this.inviteBody()
      return readMultipart(this)
    }
    this.form = form
  }

  /** A caller who asked before sending (`Expect: 100-continue`) is told to go on. */
  inviteBody(): void {
    if (this.headers.expect !== undefined) this.response.writeContinue()
  }

  get arrivedBytes(): number {
    return this.#bodyBytes
  }

  /** Counts this call and its memory for an account or address. Throws when that has too many. */
  countFor(kind: SharerKind, name: string): void {
    const { capacity } = this.context
    const sharer = capacity.join(kind, name)
    this.#sharers.push(sharer)
    const refusal = this.plan.isLight ? undefined : capacity.refuseCall(sharer)
    if (refusal !== undefined) throw refusal
  }

  /** The failure if a body of this length would find no room now. Reserves nothing. */
  refuseBody(bytes: number): Failure | undefined {
    return this.context.capacity.refuseBytes(bytes, this.#sharers, 0)
  }

  /** Reserves memory for bytes that have arrived, until the call ends; or returns why it cannot. */
  holdBody(bytes: number): Failure | undefined {
    if (this.#ended) return overloaded()
    const { capacity } = this.context
    const refusal = capacity.refuseBytes(bytes, this.#sharers, this.#bodyBytes)
    if (refusal !== undefined) return refusal
    capacity.hold(bytes, this.#sharers)
    this.#bodyBytes += bytes
    return undefined
  }

  holdRead(bytes: number): void {
    const refusal = this.holdBody(bytes)
    if (refusal !== undefined) throw refusal
  }

  /** Reserves memory for an answer, which stays there until its reader has taken it. */
  holdAnswer(bytes: number): void {
    this.context.capacity.hold(bytes, this.#sharers, bytes)
    this.#answerBytes += bytes
  }

  stay(when: () => boolean | Promise<boolean> = () => true): void {
    this.#stays = when
  }

  abort(reason: Failure): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(reason)
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    const { capacity, running } = this.context
    capacity.hold(-this.#bodyBytes - this.#answerBytes, this.#sharers, -this.#answerBytes)
    for (const sharer of this.#sharers) capacity.leave(sharer)
    running.end(this)
    this.trace?.end()
  }

  /** With a claim the call runs on after the caller has left: its answer waits for the retry. */
  #watch(controller: AbortController): AbortController {
    if (this.trace !== undefined) follow(controller.signal, this.trace)
    if (this.claim !== undefined) return controller
    const leave = async () => {
      if (this.response.writableFinished || (await this.#stays())) return
      controller.abort(CALLER_LEFT)
    }
    if (this.response.destroyed) void leave()
    else this.response.once('close', () => void leave())
    return controller
  }
}

/** Probes, documents and pages get no trace. */
function traceOf({ context, plan, headers, requestId }: RequestContext): RequestTrace | undefined {
  const { tracer } = context
  if (tracer === undefined || plan.isLight) return undefined
  const traceparent = headers.traceparent as string | undefined
  if (traceparent === undefined && !tracer.begins) return undefined
  return tracer.request(traceparent, { route: plan.name, requestId })
}

/** The address that our own proxy saw: the last one. The caller can have written the others. */
function forwardedFor({ headers }: IncomingMessage): string | undefined {
  const list = headers['x-forwarded-for'] as string | undefined
  return list
    ?.split(',')
    .findLast((address) => address.trim() !== '')
    ?.trim()
}

/** By the code other rooms tell a caller who left from a call that we ended. */
const CALLER_LEFT = new Failure(
  'unavailable',
  'The client disconnected before the answer was sent.',
  {
    code: 'caller_left',
  },
)

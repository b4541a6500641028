import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Claim, KeptAnswer } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import type { Principal } from '../lib/principal.ts'
import { renderSuccess } from './envelope.ts'
import { readMultipart } from './multipart.ts'
import type { Hallway, Plan } from './plan.ts'
import type { Slot } from './ports.ts'
import type { Call, MultipartPart, Success } from './route.ts'
import type { RunningCall } from './running.ts'

/**
 * One request on its walk, and the `Call` its handler sees. A class, because what most handlers
 * never ask for (address, signal) is made on the first look only.
 */
export class Walk implements Call<unknown, unknown, unknown>, RunningCall {
  readonly plan: Plan
  readonly requestId: string
  readonly startedMs: number
  principal: Principal | undefined = undefined
  slot: Slot | undefined = undefined
  body: unknown = undefined
  query: unknown = undefined
  params: unknown = undefined
  claim: Claim | undefined = undefined
  multipart: (() => AsyncIterable<MultipartPart>) | undefined = undefined
  /** What was wrong with the body, kept until it is the body's turn to be judged. */
  bodyFailure: Failure | undefined = undefined
  readonly #hallway: Hallway
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #controller: AbortController | undefined = undefined
  #ended = false
  #bodyBytes = 0

  constructor(hallway: Hallway, plan: Plan, request: FastifyRequest, reply: FastifyReply) {
    this.plan = plan
    this.requestId = request.id
    this.startedMs = performance.now()
    this.#hallway = hallway
    this.#request = request
    this.#reply = reply
    hallway.running.begin(this)
  }

  get headers(): Call<unknown, unknown, unknown>['headers'] {
    return this.#request.headers
  }

  get address(): string {
    return this.#request.ip
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#watch(new AbortController())
    return this.#controller.signal
  }

  /** The caller is gone and no answer can reach them. */
  get left(): boolean {
    return this.#reply.raw.destroyed && !this.#reply.raw.writableFinished
  }

  render(success: Success): KeptAnswer {
    return renderSuccess(success, {
      dialect: this.plan.route.dialect,
      status: this.plan.successStatus,
      requestId: this.requestId,
    })
  }

  acceptMultipart(): void {
    this.multipart = () => {
      this.inviteBody()
      return readMultipart(this.#request, this.plan.multipartLimitBytes)
    }
  }

  /** A caller who asked before sending (`Expect: 100-continue`) is told to go on. */
  inviteBody(): void {
    if (this.#request.headers.expect !== undefined) this.#reply.raw.writeContinue()
  }

  /** Room for so much of a body, until the call ends. False when the process has none. */
  holdBody(bytes: number): boolean {
    if (!this.#hallway.capacity.hold(bytes)) return false
    this.#bodyBytes += bytes
    return true
  }

  abort(reason: Failure): void {
    this.#controller ??= new AbortController()
    this.#controller.abort(reason)
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#hallway.capacity.giveBack(this.#bodyBytes)
    this.#hallway.running.end(this)
  }

  /** With a claim the call runs on after the caller has left: its answer waits for the retry. */
  #watch(controller: AbortController): AbortController {
    if (this.claim !== undefined) return controller
    const leave = () => {
      if (this.#reply.raw.writableFinished) return
      controller.abort(CALLER_LEFT)
    }
    if (this.#reply.raw.destroyed) leave()
    else this.#reply.raw.once('close', leave)
    return controller
  }
}

/** Rooms tell by the code whether a call was left or had to be ended. */
const CALLER_LEFT = new Failure('unavailable', 'The caller left before the answer was sent.', {
  code: 'caller_left',
})

declare module 'fastify' {
  interface FastifyRequest {
    walk: Walk | null
  }
}

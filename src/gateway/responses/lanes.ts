import type { Answer, Outflow } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'

/** Streams of a connection that are at work at once. */
const MOST_LANES = 16

/** A response that is at work. */
type LaneWork = { requestId: string; responseId: string }

/** Does the work of one stream one after the other, and that of several at once. */
export class Lanes {
  /** By stream: resolves when all of its work so far has ended. */
  readonly #tails = new Map<string, Promise<unknown>>()
  readonly #running = new Map<string, LaneWork>()

  /** What is at work: by the response's id, or in this stream. */
  find(responseId: string | undefined, stream: string): LaneWork | undefined {
    if (responseId === undefined) return this.#running.get(stream)
    return [...this.#running.values()].find((one) => one.responseId === responseId)
  }

  /** `work` has ended when its answer has: it was sent, or its reader left. */
  async run(
    stream: string,
    about: LaneWork & { signal: AbortSignal },
    work: () => Promise<Answer>,
  ): Promise<Answer> {
    const before = this.#tails.get(stream)
    if (before === undefined && this.#tails.size >= MOST_LANES) throw tooManyLanes()
    const { promise: ended, resolve } = Promise.withResolvers<void>()
    const end = () => {
      if (this.#running.get(stream) === about) this.#running.delete(stream)
      resolve()
    }
    this.#follow(stream, Promise.all([before, ended]))
    try {
      await turn(before, about.signal)
      this.#running.set(stream, about)
      return endingWith(await work(), end)
    } catch (error) {
      end()
      throw error
    }
  }

  #follow(stream: string, tail: Promise<unknown>): void {
    this.#tails.set(stream, tail)
    const clear = () => {
      if (this.#tails.get(stream) === tail) this.#tails.delete(stream)
    }
    void tail.then(clear)
  }
}

/** Throws if the call is left before its turn. */
async function turn(before: Promise<unknown> | undefined, signal: AbortSignal): Promise<void> {
  if (before === undefined) return
  const { promise: left, resolve } = Promise.withResolvers<void>()
  const leave = () => resolve()
  signal.addEventListener('abort', leave)
  await Promise.race([before, left])
  signal.removeEventListener('abort', leave)
  signal.throwIfAborted()
}

function endingWith(answer: Answer, end: () => void): Answer {
  const { body } = answer
  if (typeof body === 'string' || !('flow' in body)) {
    end()
    return answer
  }
  const outflow: Outflow = {
    flow: (sink) => body.flow(sink),
    left: () => body.left().finally(end),
  }
  return { ...answer, body: outflow }
}

function tooManyLanes(): Failure {
  const message = `stream_id: more than ${MOST_LANES} streams at once. Wait for one to end.`
  return new Failure('rate_limited', message, { param: 'stream_id', retryAfterS: 1 })
}

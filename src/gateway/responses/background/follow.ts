import { setTimeout as wait } from 'node:timers/promises'
import type { Answer, Outflow, Sink } from '../../../lib/answer.ts'
import { Failure } from '../../../lib/failure.ts'
import { SSE_HEADERS } from '../../chat/stream.ts'
import type { GatewayCall } from '../../gateway.ts'
import { EventWriter } from '../answer/event-writer.ts'
import type { Responses } from '../responses.ts'
import { DONE } from '../form.ts'
import { readEvents, type EventPiece } from './events-store.ts'
import { findResponseJob, type ShownJob } from './jobs-store.ts'
import { hasEnded, readResponse } from './show.ts'

type Followed = {
  id: string
  accountId: string
  /** The number of the first event to be sent. */
  from: number
}

/** The events of a response that runs in the background, or ran, in whichever process. */
export async function followResponse(
  responses: Responses,
  { principal }: Pick<GatewayCall, 'principal'>,
  followed: Followed,
): Promise<Answer> {
  const job = await findResponseJob(responses.db, followed)
  if (job?.streams !== true) throw notStreamed()
  const leave = responses.gateway.callLimits.enter(principal)
  return { status: 200, headers: SSE_HEADERS, body: new EventFollow(responses, followed, leave) }
}

const LOOK_MS = 250
const LOOKS_PER_BEAT = 60
const COMMENT = ': keep-alive\n\n'
/** Its last events are kept a moment after its end. */
const LOOKS_AFTER_END = 20

class EventFollow implements Outflow {
  readonly #responses: Responses
  readonly #followed: Followed
  readonly #leave: () => void
  #next: number
  #gone = false
  /** Looks without an event; those after the response had ended. */
  #silent = 0
  #late = 0

  constructor(responses: Responses, followed: Followed, leave: () => void) {
    this.#responses = responses
    this.#followed = followed
    this.#leave = leave
    this.#next = followed.from
  }

  flow(sink: Sink): void {
    void this.#flow(sink)
  }

  async left(): Promise<void> {
    this.#gone = true
    this.#leave()
  }

  async #flow(sink: Sink): Promise<void> {
    let last: string | undefined
    try {
      while (last === undefined && !this.#gone) last = await this.#look(sink)
    } catch (error) {
      // Whoever is cut off comes back with the number of the last event.
      this.#responses.gateway.billing.log.warn('The events of a response could not be read.', {
        error,
      })
    }
    this.#leave()
    sink.end(last ?? '')
  }

  /** Gives what the stream ends with, once it does. */
  async #look(sink: Sink): Promise<string | undefined> {
    const { db } = this.#responses
    // Before its events: so none is missed of one that has ended.
    const job = await findResponseJob(db, this.#followed)
    const pieces = await readEvents(db, this.#followed.id, this.#next)
    if (pieces.length === 0) return this.#wait(sink, job)
    this.#silent = 0
    for (const piece of pieces) {
      if (!sink.write(this.#unsent(piece))) await sink.room()
      if (LAST_EVENT.test(piece.events)) return DONE
    }
    return undefined
  }

  #unsent({ first, count, events }: EventPiece): string {
    const skipped = Math.max(0, this.#next - first)
    this.#next = first + count
    return skipped === 0 ? events : events.split('\n\n').slice(skipped).join('\n\n')
  }

  async #wait(sink: Sink, job: ShownJob | undefined): Promise<string | undefined> {
    if (job === undefined || job.status === 'cancelled') return DONE
    if (hasEnded(job) && ++this.#late > LOOKS_AFTER_END) return this.#lastEvent()
    if (++this.#silent % LOOKS_PER_BEAT === 0) sink.write(COMMENT)
    await wait(LOOK_MS)
    return undefined
  }

  /** Its process died between its end and its last events, or these are no longer kept. */
  async #lastEvent(): Promise<string> {
    const response = await readResponse(this.#responses.db, { ...this.#followed, encrypted: false })
    const writer = new EventWriter(this.#next)
    writer.write(`response.${String(response.status)}`, { response })
    return writer.written() + DONE
  }
}

const LAST_EVENT = /^event: response\.(completed|incomplete|failed)$/m

function notStreamed(): Failure {
  const message =
    'stream: only a response that was created with background: true and stream: true can be streamed again. Read it without stream.'
  return new Failure('invalid', message, { param: 'stream', code: 'unsupported_parameter' })
}

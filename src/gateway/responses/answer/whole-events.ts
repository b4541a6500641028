import type { Failure } from '../../../lib/failure.ts'
import type { Fields } from '../../../lib/json.ts'
import type { EventWriter } from './event-writer.ts'
import { changingFields, lastingFields, type ResponseEnd, type ResponseStart } from './response.ts'

type End = Omit<ResponseEnd, 'output'>

/** Writes the events that contain the whole response. What repeats in them is written once. */
export class WholeEvents {
  readonly #writer: EventWriter
  readonly #head: ResponseStart
  readonly #lasting: string

  constructor(writer: EventWriter, head: ResponseStart) {
    this.#writer = writer
    this.#head = head
    this.#lasting = JSON.stringify(lastingFields(head)).slice(0, -1)
  }

  /** A response that waited in a queue was told of when it was accepted. */
  begin(): void {
    const begun = this.#brief({ status: 'in_progress' }, '[]')
    if (this.#writer.next === 0) this.#writer.writeMembers('response.created', begun)
    this.#writer.writeMembers('response.in_progress', begun)
  }

  queue(): void {
    const queued = this.#brief({ status: 'queued' }, '[]')
    this.#writer.writeMembers('response.created', queued)
    this.#writer.writeMembers('response.queued', queued)
  }

  /** `output` is the JSON of the items. */
  end(end: End, output: string): void {
    const ended = this.#joined(changingFields(this.#head, end), output)
    this.#writer.writeMembers(`response.${end.status}`, ended)
  }

  fail(failure: Failure, output: string): void {
    const end = { status: 'failed', error: failedError(failure), store: false } as const
    this.#writer.writeMembers('response.failed', this.#brief(end, output))
  }

  /** Without instructions, which are long: the client has just sent them. */
  #brief(end: End, output: string): string {
    const changing = { ...changingFields(this.#head, end), instructions: null }
    return this.#joined(changing, output)
  }

  #joined(changing: Fields, output: string): string {
    const members = JSON.stringify(changing).slice(1, -1)
    return `"response":${this.#lasting},${members},"output":${output}}`
  }
}

/**
 * A failure inside a stream. By these codes clients decide whether to stop, to wait, to shorten the
 * conversation or to retry.
 */
export function failedError(failure: Failure): { code: string; message: string } & Fields {
  const { message } = failure
  if (failure.code === 'context_length_exceeded') return { code: failure.code, message }
  switch (failure.kind) {
    case 'insufficient':
      // With its own code Codex would show words of its own.
      return { code: 'invalid_prompt', message, ...failure.credits }
    case 'rate_limited':
      return { code: 'rate_limit_exceeded', message: withWait(failure) }
    case 'invalid':
    case 'unsuitable':
    case 'upstream_rejected':
      return { code: 'invalid_prompt', message }
    default:
      return { code: 'server_error', message }
  }
}

const SHORTEST_WAIT_S = 1

/** Clients parse the waiting time from this sentence. */
function withWait({ message, retryAfterS }: Failure): string {
  return `${message} Please try again in ${retryAfterS ?? SHORTEST_WAIT_S}s.`
}

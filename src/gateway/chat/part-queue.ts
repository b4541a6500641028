import type { Fields } from '../../lib/json.ts'
import { JsonEnd } from '../../lib/json-end.ts'

/**
 * A part of an answer. Other dialects send parts one after the other; the chunks of a chat may mix
 * them.
 */
export type Part = {
  /** Its index among the parts of the answer. */
  position: number
  kind: 'reasoning' | 'text' | 'call'
  /** A call's id, made here: upstreams repeat theirs, or use forms that others refuse. */
  id: string
  name: string
  /** The arguments of the call are complete. Known when it closes. */
  whole: boolean
  /** What a later request must send back of the reasoning. Complete when it closes. */
  details: Fields[]
}

/** For each part in turn: open, its text in pieces, close. */
export type PartListener = {
  open(part: Part): void
  /** `text` is never empty; of a call it is a piece of its arguments. */
  delta(part: Part, text: string): void
  close(part: Part): void
}

export type QueuedPart = {
  part: Part
  /** Text not yet reported. */
  pending: string
  opened: boolean
  closed: boolean
  end: JsonEnd
}

/**
 * Only the first part is open; the others wait until it closes. It closes when another part waits,
 * a call only when its arguments are complete.
 */
export class PartQueue {
  readonly #listener: PartListener
  readonly #queue: QueuedPart[] = []
  #parts = 0

  constructor(listener: PartListener) {
    this.#listener = listener
  }

  /** The last part, or a new one if the last is of another kind. */
  lastOr(kind: Part['kind']): QueuedPart {
    const last = this.#queue.at(-1)
    return last?.part.kind === kind ? last : this.push(kind)
  }

  push(kind: Part['kind']): QueuedPart {
    const part: Part = { position: 0, kind, id: '', name: '', whole: false, details: [] }
    const made = { part, pending: '', opened: false, closed: false, end: new JsonEnd() }
    this.#queue.push(made)
    return made
  }

  write(to: QueuedPart, text: string): void {
    to.pending += text
    for (let first = this.#queue[0]!; ; first = this.#queue[0]!) {
      this.#report(first)
      if (this.#queue.length === 1 || !isComplete(first)) return
      this.#close(first)
    }
  }

  /** Whether a call waits whose arguments are no whole object. */
  get hasBrokenCall(): boolean {
    const calls = this.#queue.filter(({ part }) => part.kind === 'call' && part.name !== '')
    return calls.some(({ end }) => !end.blank && !end.reached)
  }

  /** Reports what still waits. */
  end(): void {
    while (this.#queue.length > 0) {
      const first = this.#queue[0]!
      this.#report(first)
      if (first.opened) this.#close(first)
      // A call without a name cannot be made.
      else this.#queue.shift()
    }
  }

  #report(first: QueuedPart): void {
    const { part } = first
    if (!first.opened) {
      if (part.kind === 'call' && part.name === '') return
      first.opened = true
      part.position = this.#parts++
      this.#listener.open(part)
    }
    if (first.pending !== '') this.#listener.delta(part, first.pending)
    first.pending = ''
  }

  #close(first: QueuedPart): void {
    this.#queue.shift()
    first.closed = true
    first.part.whole = first.end.reached
    // A tool without parameters may get no arguments; clients expect an object.
    if (first.part.kind === 'call' && first.end.blank) this.#listener.delta(first.part, '{}')
    this.#listener.close(first.part)
  }
}

function isComplete({ part, end, opened }: QueuedPart): boolean {
  return part.kind !== 'call' || (opened && end.reached)
}

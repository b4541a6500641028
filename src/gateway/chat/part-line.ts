import type { Fields } from '../../lib/fields.ts'
import { JsonEnd } from './json-end.ts'

/**
 * A piece of an answer in the order in which a caller sees it. Other dialects show one after the
 * other, never two at once, while the chunks of a chat may mix them.
 */
export type Part = {
  /** 0, 1, 2… among the parts of the answer. */
  position: number
  kind: 'reasoning' | 'text' | 'call'
  /** Ours, of a call: upstreams repeat theirs, or write them in ways that others refuse. */
  id: string
  /** Of a call. */
  name: string
  /** Of a call: its arguments came to their end. Known when it closes. */
  whole: boolean
  /** What must come back with a later request, of a reasoning: complete when it closes. */
  details: Fields[]
}

/** Is told of one part after the other: open, its text in pieces, close. */
export type PartListener = {
  open(part: Part): void
  /** Never empty. Of a call it is a piece of its arguments. */
  delta(part: Part, text: string): void
  close(part: Part): void
}

/** A part that is open or waits. */
export type LinePart = {
  part: Part
  /** What could not be told yet. */
  pending: string
  opened: boolean
  closed: boolean
  /** Where the arguments of a call end. */
  end: JsonEnd
}

/**
 * Parts in line: only the first is open. One closes when another waits behind it, a call only when
 * its arguments are complete; until then the others wait.
 */
export class PartLine {
  readonly #listener: PartListener
  readonly #line: LinePart[] = []
  #parts = 0

  constructor(listener: PartListener) {
    this.#listener = listener
  }

  /** The last in line, or a new one if that is of another kind. */
  lastOr(kind: Part['kind']): LinePart {
    const last = this.#line.at(-1)
    return last?.part.kind === kind ? last : this.push(kind)
  }

  push(kind: Part['kind']): LinePart {
    const part: Part = { position: 0, kind, id: '', name: '', whole: false, details: [] }
    const made = { part, pending: '', opened: false, closed: false, end: new JsonEnd() }
    this.#line.push(made)
    return made
  }

  write(to: LinePart, text: string): void {
    to.pending += text
    for (let first = this.#line[0]!; ; first = this.#line[0]!) {
      this.#tell(first)
      if (this.#line.length === 1 || !isComplete(first)) return
      this.#close(first)
    }
  }

  /** Nothing more comes: tells what still waits. */
  end(): void {
    while (this.#line.length > 0) {
      const first = this.#line[0]!
      this.#tell(first)
      if (first.opened) this.#close(first)
      // A call that never had a name is nobody's.
      else this.#line.shift()
    }
  }

  #tell(first: LinePart): void {
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

  #close(first: LinePart): void {
    this.#line.shift()
    first.closed = true
    first.part.whole = first.end.reached
    // A tool without parameters may get no arguments at all; its caller expects an object.
    if (first.part.kind === 'call' && first.end.blank) this.#listener.delta(first.part, '{}')
    this.#listener.close(first.part)
  }
}

function isComplete({ part, end, opened }: LinePart): boolean {
  return part.kind !== 'call' || (opened && end.reached)
}

import type { Fields } from '../../lib/fields.ts'

/**
 * A part of an answer. Other dialects show parts one after the other, never two at once, while the
 * chunks of a chat may mix them.
 */
export type Part = {
  /** 0, 1, 2… among the parts of the answer. */
  position: number
  kind: 'reasoning' | 'text' | 'call'
  /** Of a call, ours: upstreams repeat theirs, or write them in ways that others refuse. */
  id: string
  /** Of a call. */
  name: string
  /** Of a call: its arguments are complete. Known when it closes. */
  whole: boolean
  /** Of reasoning: what must come back with a later request. Complete when it closes. */
  details: Fields[]
}

/** Called for one part after the other: open, its text in pieces, close. */
export type PartListener = {
  open(part: Part): void
  /** Never empty. Of a call it is a piece of its arguments. */
  delta(part: Part, text: string): void
  close(part: Part): void
}

/** A part that is open or waits. */
export type QueuedPart = {
  part: Part
  /** Text that was not reported yet. */
  pending: string
  opened: boolean
  closed: boolean
  /** Where the arguments of a call end. */
  end: JsonEnd
}

/**
 * Only the first part is open. It closes when another one waits behind it, a call only when its
 * arguments are complete; until then the others wait.
 */
export class PartQueue {
  readonly #listener: PartListener
  readonly #queue: QueuedPart[] = []
  #parts = 0

  constructor(listener: PartListener) {
    this.#listener = listener
  }

  /** The last part, or a new one if that is of another kind. */
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

  /** Nothing more comes: reports what still waits. */
  end(): void {
    while (this.#queue.length > 0) {
      const first = this.#queue[0]!
      this.#report(first)
      if (first.opened) this.#close(first)
      // A call that never had a name cannot be made.
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
    // A tool without parameters may get no arguments at all; its caller expects an object.
    if (first.part.kind === 'call' && first.end.blank) this.#listener.delta(first.part, '{}')
    this.#listener.close(first.part)
  }
}

function isComplete({ part, end, opened }: QueuedPart): boolean {
  return part.kind !== 'call' || (opened && end.reached)
}

/** Finds where a JSON object ends that comes in pieces, looking at each letter once. */
class JsonEnd {
  /** An object or array was opened, and all of it closed. */
  reached = false
  /** Nothing but white space so far. */
  blank = true
  #depth = 0
  #quoted = false
  #escaped = false

  read(text: string): void {
    if (this.blank && text.trim() !== '') this.blank = false
    for (let at = 0; at < text.length; at++) this.#readOne(text.charCodeAt(at))
  }

  #readOne(letter: number): void {
    if (this.#escaped) this.#escaped = false
    else if (this.#quoted && letter === BACKSLASH) this.#escaped = true
    else if (letter === QUOTE) this.#quoted = !this.#quoted
    else if (this.#quoted) return
    else if (letter === OPEN_OBJECT || letter === OPEN_ARRAY) this.#depth += 1
    else if (letter === CLOSE_OBJECT || letter === CLOSE_ARRAY) {
      this.#depth -= 1
      if (this.#depth === 0) this.reached = true
    }
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

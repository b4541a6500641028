import { within } from '../../lib/clock.ts'
import { isFields, listOf, type Fields } from '../../lib/fields.ts'
import { chunkText } from '../../upstream/contract/chunks.ts'
import type { OurNames } from '../../upstream/contract/contract.ts'
import type { UsageReading } from '../../upstream/contract/usage.ts'
import type { ChatStream } from '../../upstream/work.ts'
import { mostTokens } from '../price/token-bound.ts'

/** The money of a stream, and how to get more of it. */
export type StreamLimit = {
  limitMicro: bigint
  /** What the upstream was told to keep to: with a limit this high there is nothing to watch. */
  ceilingMicro: bigint
  stepMicro: bigint
  /** How many tokens a limit pays for, of all choices together. */
  tokensFor(limitMicro: bigint): number
  /** Gives the limit that holds from now on. */
  extend(byMicro: bigint): Promise<bigint>
  /** No fewer tokens than the prompt has. */
  boundPrompt(): number
}

/** A reader who is further behind than this is waited for. */
const MOST_QUEUED = 256 * 1024
/** A model says on while we wait, at ten credits a second, and nobody would pay for that. */
const ANSWER_WITHIN_MS = 100

/**
 * A stream whose account may not be able to pay for all of it. What is said is counted as it comes,
 * whatever the reader does, at no fewer tokens than it can have. Before the limit is passed it is
 * raised; when there is no more money the upstream is cut off and the answer ends with `length`.
 */
export class WatchedStream implements ChatStream {
  readonly #stream: ChatStream
  readonly #limit: StreamLimit
  readonly #ours: OurNames
  #limitMicro: bigint
  /** The tokens that the limit pays for; those that were said; the most at once. */
  #room: number
  #said = 0
  #largest = 0
  /** When more is asked for; a question that is not answered yet; the last answer was no. */
  #askAt: number
  #asked: Promise<void> | undefined
  #poor = false
  readonly #choices = new Set<number>()
  /** How an answer that was cut off ends. */
  #last: readonly string[] | undefined
  #queue: string[] = []
  #queued = 0
  #over = false
  #cut = false
  #fault: { error: unknown } | undefined
  #wakeReader: (() => void) | undefined
  #wakeUs: (() => void) | undefined

  constructor(stream: ChatStream, limit: StreamLimit, ours: OurNames) {
    this.#stream = stream
    this.#limit = limit
    this.#ours = ours
    this.#limitMicro = limit.limitMicro
    this.#room = limit.tokensFor(limit.limitMicro)
    this.#askAt = this.#room / 2
    void this.#run()
  }

  get ready(): boolean {
    return this.#queue.length > 0 || this.#over
  }

  more(): Promise<void> {
    return new Promise((wake) => (this.#wakeReader = wake))
  }

  take(): readonly string[] | undefined {
    if (this.#queue.length > 0) {
      const chunks = this.#queue
      this.#queue = []
      this.#queued = 0
      this.#wakeUs?.()
      return chunks
    }
    if (this.#fault !== undefined) throw this.#fault.error
    return undefined
  }

  /** We read on for a while: the upstream rests only when we do. */
  rest(): void {}

  cancel(): void {
    this.#queue = []
    this.#fault = undefined
    this.#end()
    this.#stream.cancel()
    this.#wakeUs?.()
  }

  /** An answer that the money ended has ended. */
  get finished() {
    return this.#cut || this.#stream.finished
  }
  get last() {
    return this.#last ?? this.#stream.last
  }
  get finishReason() {
    return this.#cut ? 'length' : this.#stream.finishReason
  }
  get generationId() {
    return this.#stream.generationId
  }
  get outputBytes() {
    return this.#stream.outputBytes
  }
  get pictures() {
    return this.#stream.pictures
  }
  get boundTokens() {
    return this.#cut ? Math.ceil(this.#said) : undefined
  }

  /** Of one that was cut off, what the upstream had told of the prompt so far. */
  get usage(): UsageReading {
    const { usage: reading } = this.#stream
    if (!this.#cut) return reading
    const told = reading.kind === 'reported' ? reading.usage : {}
    const promptTokens = told.promptTokens ?? this.#limit.boundPrompt()
    const answer = { completionTokens: undefined, totalTokens: undefined }
    return { kind: 'reported', usage: { ...told, ...answer, promptTokens } }
  }

  async #run(): Promise<void> {
    try {
      while (!this.#over) {
        if (!this.#stream.ready) await this.#stream.more()
        if (this.#over) return
        const chunks = this.#stream.take()
        if (chunks === undefined) {
          this.#cut = this.#stream.outlasted === true
          break
        }
        this.#pass(chunks)
        if (!(await this.#affords()) || !(await this.#keepsUp())) this.#cutOff()
      }
    } catch (error) {
      this.#fault = { error }
    }
    this.#end()
  }

  #end(): void {
    this.#over = true
    this.#wakeReader?.()
  }

  #pass(chunks: readonly string[]): void {
    let tokens = 0
    for (const chunk of chunks) {
      tokens += this.#count(chunk)
      this.#queue.push(chunk)
      this.#queued += chunk.length
    }
    this.#said += tokens
    this.#largest = Math.max(this.#largest, tokens)
    if (chunks.length > 0) this.#wakeReader?.()
  }

  #count(chunk: string): number {
    let tokens = 0
    for (const { index, delta } of choicesIn(chunk)) {
      this.#choices.add(Number(index))
      tokens += wordsIn(delta)
    }
    return tokens
  }

  /**
   * There must be room for as much as has ever come at once, and while an answer is waited for, for
   * that again: a model says on. More is asked for half way to the end.
   */
  async #affords(): Promise<boolean> {
    if (this.#said >= this.#askAt) this.#asked ??= this.#ask()
    while (this.#said + (this.#poor ? 1 : 2) * this.#largest > this.#room) {
      if (this.#asked === undefined && this.#poor) return false
      if (!(await cameInTime((this.#asked ??= this.#ask())))) return false
    }
    return true
  }

  async #ask(): Promise<void> {
    this.#poor = !(await this.#extend(this.#limit.stepMicro))
    this.#askAt = this.#said + Math.max(this.#largest, (this.#room - this.#said) / 2)
    this.#asked = undefined
  }

  /**
   * A model says on while nobody reads it. So whoever reads slowly must be able to pay for all that
   * it may still say.
   */
  async #keepsUp(): Promise<boolean> {
    if (this.#queued < MOST_QUEUED) return true
    if (!(await cameInTime(this.#askForAll())) || this.#room !== Infinity) return false
    this.#stream.rest()
    while (this.#queued > 0 && !this.#over) {
      await new Promise<void>((wake) => (this.#wakeUs = wake))
    }
    return true
  }

  async #askForAll(): Promise<void> {
    await this.#asked
    while (this.#room !== Infinity) {
      if (!(await this.#extend(this.#limit.ceilingMicro))) return
    }
  }

  /** False when there is no more money. */
  async #extend(byMicro: bigint): Promise<boolean> {
    const { ceilingMicro, extend, tokensFor } = this.#limit
    const leftMicro = ceilingMicro - this.#limitMicro
    if (leftMicro > 0n) {
      const limitMicro = await extend(byMicro < leftMicro ? byMicro : leftMicro)
      if (limitMicro <= this.#limitMicro) return false
      this.#limitMicro = limitMicro
    }
    // At the ceiling the upstream ends by itself.
    this.#room = this.#limitMicro < ceilingMicro ? tokensFor(this.#limitMicro) : Infinity
    return true
  }

  #cutOff(): void {
    if (this.#over) return
    this.#cut = true
    this.#stream.cancel()
    const { last } = this.#stream
    for (const chunk of last) this.#said += this.#count(chunk)
    const finished = new Set(last.flatMap(choicesIn).map(({ index }) => Number(index)))
    const open = [...this.#choices].filter((index) => !finished.has(index))
    const ends = open.map((index) => chunkText(this.#ours, {}, { reason: 'length', index }))
    this.#last = [...last, ...ends]
    this.#end()
  }
}

function cameInTime(answer: Promise<void>): Promise<boolean> {
  return within(
    ANSWER_WITHIN_MS,
    answer.then(() => true),
    () => false,
  )
}

function choicesIn(chunk: string): Fields[] {
  return listOf((JSON.parse(chunk) as Fields).choices).filter(isFields)
}

/** All that a delta says, whatever its members are called. */
function wordsIn(value: unknown): number {
  if (typeof value === 'string') return mostTokens(value)
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + wordsIn(item), 0)
  if (!isFields(value)) return 0
  let tokens = 0
  for (const name in value) tokens += wordsIn(value[name])
  return tokens
}

import { within } from '../../lib/clock.ts'
import { isFields, listOf, type Fields } from '../../lib/json.ts'
import { chunkText } from '../../upstream/contract/chunks.ts'
import type { OurNames } from '../../upstream/contract/contract.ts'
import type { UsageReading } from '../../upstream/contract/usage.ts'
import type { ChatStream } from '../../upstream/work.ts'
import { mostTokens } from '../price/token-bound.ts'

export type StreamLimit = {
  limitMicro: bigint
  /** What the upstream was told to keep to: at this limit nothing is left to watch. */
  ceilingMicro: bigint
  stepMicro: bigint
  /** How many tokens, of all choices together, a limit pays for. */
  tokensFor(limitMicro: bigint): number
  /** Returns the limit that is valid from now on. */
  extend(byMicro: bigint): Promise<bigint>
  /** An upper bound of the prompt's tokens. */
  boundPrompt(): number
  nowMs(): number
}

/** Characters that the reader has not taken. Above this the upstream is read no further. */
const MOST_QUEUED = 256 * 1024
/** The model keeps generating while we wait; this bounds the unpaid part. */
const ANSWER_WITHIN_MS = 100
/** What it says in this time, while nobody here can look, is paid for beforehand. */
const UNSEEN_MS = 500

/**
 * A stream whose account may not be able to pay for all of it. Tokens are counted as they arrive,
 * never too low, independent of the reader's speed. The limit is raised before it is reached;
 * without credits the upstream is cut off and the answer ends with `length`.
 */
export class WatchedStream implements ChatStream {
  readonly #stream: ChatStream
  readonly #limit: StreamLimit
  readonly #ours: OurNames
  #limitMicro: bigint
  /** Tokens: paid by the limit; arrived; the most that arrived at once. */
  #paidTokens: number
  #tokens = 0
  #largestBatch = 0
  #beganMs: number | undefined
  /**
   * At how many tokens the limit is raised; the raise in progress; whether the last one was
   * refused.
   */
  #extendAt: number
  #extending: Promise<void> | undefined
  #exhausted = false
  readonly #choices = new Set<number>()
  /** The last chunks of an answer that was cut off. */
  #last: readonly string[] | undefined
  #queue: string[] = []
  #queuedLength = 0
  #ended = false
  #cutShort = false
  #error: { error: unknown } | undefined
  #wakeReader: (() => void) | undefined
  #wakeWatcher: (() => void) | undefined

  constructor(stream: ChatStream, limit: StreamLimit, ours: OurNames) {
    this.#stream = stream
    this.#limit = limit
    this.#ours = ours
    this.#limitMicro = limit.limitMicro
    this.#paidTokens = limit.tokensFor(limit.limitMicro)
    this.#extendAt = this.#paidTokens / 2
    void this.#run()
  }

  get ready(): boolean {
    return this.#queue.length > 0 || this.#ended
  }

  more(): Promise<void> {
    return new Promise((wake) => (this.#wakeReader = wake))
  }

  take(): readonly string[] | undefined {
    if (this.#queue.length > 0) {
      const chunks = this.#queue
      this.#queue = []
      this.#queuedLength = 0
      this.#wakeWatcher?.()
      return chunks
    }
    if (this.#error !== undefined) throw this.#error.error
    return undefined
  }

  /**
   * This class reads ahead of the reader; the upstream's clocks stop only when it stops reading.
   */
  rest(): void {}

  cancel(): void {
    this.#queue = []
    this.#error = undefined
    this.#end()
    this.#stream.cancel()
    this.#wakeWatcher?.()
  }

  get finished() {
    return this.#cutShort || this.#stream.finished
  }
  get last() {
    return this.#last ?? this.#stream.last
  }
  get finishReason() {
    return this.#cutShort ? 'length' : this.#stream.finishReason
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
    return this.#cutShort ? Math.ceil(this.#tokens) : undefined
  }

  /** If cut off: the prompt as reported so far, or its upper bound. */
  get usage(): UsageReading {
    const { usage: reading } = this.#stream
    if (!this.#cutShort) return reading
    const told = reading.kind === 'reported' ? reading.usage : {}
    const promptTokens = told.promptTokens ?? this.#limit.boundPrompt()
    return { kind: 'reported', usage: { ...told, completionTokens: undefined, promptTokens } }
  }

  async #run(): Promise<void> {
    try {
      while (!this.#ended) {
        if (!this.#stream.ready) await this.#stream.more()
        if (this.#ended) return
        const chunks = this.#stream.take()
        if (chunks === undefined) {
          this.#cutShort = this.#stream.timedOut === true
          break
        }
        this.#enqueue(chunks)
        if (!(await this.#affords()) || !(await this.#keepsUp())) this.#cutOff()
      }
    } catch (error) {
      this.#error = { error }
    }
    this.#end()
  }

  #end(): void {
    this.#ended = true
    this.#wakeReader?.()
  }

  #enqueue(chunks: readonly string[]): void {
    let tokens = 0
    this.#beganMs ??= this.#limit.nowMs()
    for (const chunk of chunks) {
      tokens += this.#count(chunk)
      this.#queue.push(chunk)
      this.#queuedLength += chunk.length
    }
    this.#tokens += tokens
    this.#largestBatch = Math.max(this.#largestBatch, tokens)
    if (chunks.length > 0) this.#wakeReader?.()
  }

  #count(chunk: string): number {
    let tokens = 0
    for (const { index, delta } of choicesIn(chunk)) {
      this.#choices.add(Number(index))
      tokens += tokensIn(delta)
    }
    return tokens
  }

  /**
   * The limit must pay for what arrives before the next look. It is raised at half of what is left,
   * or earlier; meanwhile what arrives is counted on.
   */
  async #affords(): Promise<boolean> {
    const isShort = this.#tokens + this.#unseen() > this.#paidTokens && !this.#exhausted
    if (isShort || this.#tokens >= this.#extendAt) this.#extending ??= this.#extendAhead()
    while (this.#tokens + this.#soon() > this.#paidTokens) {
      if (this.#extending === undefined && this.#exhausted) return false
      if (!(await answeredInTime((this.#extending ??= this.#extendAhead())))) return false
    }
    return true
  }

  /**
   * One more batch as large as the largest so far, and a second one that may arrive while the limit is
   * raised. Once it cannot be raised, as much as may be said unseen.
   */
  #soon(): number {
    if (!this.#exhausted) return 2 * this.#largestBatch
    return Math.max(this.#largestBatch, this.#unseen())
  }

  /** By how much it said on average. */
  #unseen(): number {
    const saidMs = this.#limit.nowMs() - this.#beganMs!
    return (this.#tokens * UNSEEN_MS) / Math.max(UNSEEN_MS, saidMs)
  }

  async #extendAhead(): Promise<void> {
    this.#exhausted = !(await this.#extend(this.#limit.stepMicro))
    this.#extendAt =
      this.#tokens + Math.max(this.#largestBatch, (this.#paidTokens - this.#tokens) / 2)
    this.#extending = undefined
  }

  /**
   * The model keeps generating while nobody reads, so a slow reader's account must be able to pay
   * for all that may still come.
   */
  async #keepsUp(): Promise<boolean> {
    if (this.#queuedLength < MOST_QUEUED) return true
    if (!(await answeredInTime(this.#extendToCeiling())) || this.#paidTokens !== Infinity)
      return false
    this.#stream.rest()
    while (this.#queuedLength > 0 && !this.#ended) {
      await new Promise<void>((wake) => (this.#wakeWatcher = wake))
    }
    return true
  }

  async #extendToCeiling(): Promise<void> {
    await this.#extending
    while (this.#paidTokens !== Infinity) {
      if (!(await this.#extend(this.#limit.ceilingMicro))) return
    }
  }

  async #extend(byMicro: bigint): Promise<boolean> {
    const { ceilingMicro, extend, tokensFor } = this.#limit
    const leftMicro = ceilingMicro - this.#limitMicro
    if (leftMicro > 0n) {
      const limitMicro = await extend(byMicro < leftMicro ? byMicro : leftMicro)
      if (limitMicro <= this.#limitMicro) return false
      this.#limitMicro = limitMicro
    }
    // At the ceiling the upstream ends the answer itself.
    this.#paidTokens = this.#limitMicro < ceilingMicro ? tokensFor(this.#limitMicro) : Infinity
    return true
  }

  #cutOff(): void {
    if (this.#ended) return
    this.#cutShort = true
    this.#stream.cancel()
    const { last } = this.#stream
    for (const chunk of last) this.#tokens += this.#count(chunk)
    const finished = new Set(last.flatMap(choicesIn).map(({ index }) => Number(index)))
    const open = [...this.#choices].filter((index) => !finished.has(index))
    const ends = open.map((index) => chunkText(this.#ours, {}, { reason: 'length', index }))
    this.#last = [...last, ...ends]
    this.#end()
  }
}

function answeredInTime(answer: Promise<void>): Promise<boolean> {
  return within(
    ANSWER_WITHIN_MS,
    answer.then(() => true),
    () => false,
  )
}

function choicesIn(chunk: string): Fields[] {
  return listOf((JSON.parse(chunk) as Fields).choices).filter(isFields)
}

/** Counts every text of a delta, whatever its name. */
function tokensIn(value: unknown): number {
  if (typeof value === 'string') return mostTokens(value)
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + tokensIn(item), 0)
  if (!isFields(value)) return 0
  let tokens = 0
  for (const name in value) tokens += tokensIn(value[name])
  return tokens
}

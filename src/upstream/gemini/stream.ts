import { isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import { chunkText, eventFields, StreamProgress } from '../contract/chunks.ts'
import type { ChatReader, ChatRequest, OurNames, SseEvent } from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { laterCounts } from '../contract/later-counts.ts'
import type { UsageReading } from '../contract/usage.ts'
import { geminiFinish, refuseErrors, readParts, type CandidateParts } from './answer.ts'
import type { Signatures } from './signatures.ts'
import { geminiUsage } from './usage.ts'

type Progress = { calls: number; empty: boolean }

/** Each event is a small answer. The stream ends with the connection. */
export class GeminiReader extends StreamProgress implements ChatReader {
  #counts: Fields | undefined
  readonly #progress = new Map<number, Progress>()
  readonly #ours: OurNames
  readonly #signatures: Signatures

  constructor(request: ChatRequest, signatures: Signatures) {
    super()
    this.#ours = request.ours
    this.#signatures = signatures
  }

  get usage(): UsageReading {
    return geminiUsage(this.#counts)
  }

  read(event: SseEvent): readonly string[] {
    const json = eventFields(event)
    refuseErrors(json)
    this.generationId ??= textOf(json.responseId)
    const { usageMetadata: told } = json
    if (isFields(told)) this.#counts = laterCounts(this.#counts, told)
    return listOf(json.candidates)
      .filter(isFields)
      .flatMap((candidate) => this.#candidate(candidate))
  }

  close(): void {
    if (this.#progress.size === 0) throw new UpstreamError('garbage', 'empty_stream')
    if (this.finishReason === null) throw new UpstreamError('reset', 'stream_end')
  }

  #candidate(candidate: Fields): string[] {
    const index = typeof candidate.index === 'number' ? candidate.index : 0
    const known = this.#progress.get(index)
    const progress = known ?? { calls: 0, empty: true }
    this.#progress.set(index, progress)
    const parts = readParts(candidate, this.#signatures)
    const delta = this.#delta(parts, progress, known === undefined)
    const finish = this.#finish(candidate, progress, index)
    if (Object.keys(delta).length === 0 && finish === null) return []
    return [chunkText(this.#ours, delta, { reason: finish, index })]
  }

  #delta(parts: CandidateParts, progress: Progress, first: boolean): Fields {
    const { text, reasoning, images } = parts
    const calls = parts.calls.map((call, position) => ({
      index: progress.calls + position,
      ...call,
    }))
    progress.calls += calls.length
    if (text !== '' || calls.length > 0 || images.length > 0) progress.empty = false
    this.outputBytes += Buffer.byteLength(text) + Buffer.byteLength(reasoning)
    if (calls.length > 0) this.outputBytes += JSON.stringify(calls).length
    this.pictures += images.length
    return {
      ...(first ? { role: 'assistant' } : {}),
      ...(text !== '' || first ? { content: text } : {}),
      ...(reasoning === '' ? {} : { reasoning }),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
      ...(images.length > 0 ? { images } : {}),
    }
  }

  #finish(candidate: Fields, progress: Progress, index: number): string | null {
    if (typeof candidate.finishReason !== 'string') return null
    this.finish(geminiFinish(candidate.finishReason, progress.calls > 0, progress.empty), index)
    return this.finishReason
  }
}

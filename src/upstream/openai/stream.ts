import { isFields, textOf, type Fields } from '../../lib/json.ts'
import { eventFields, NO_CHUNKS, StreamProgress } from '../contract/chunks.ts'
import type { ChatReader, ChatRequest, OurNames, SseEvent } from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { laterCounts } from '../contract/later-counts.ts'
import { writtenBytes, type UsageReading } from '../contract/usage.ts'
import { ChunkTemplate } from './chunk-template.ts'
import { errorInBody, openAiUsage } from './fields.ts'

/** Most chunks fit the template of an earlier one; the others are parsed and written. */
export class OpenAiReader extends StreamProgress implements ChatReader {
  #counts: Fields | undefined
  #chunks = 0
  readonly #template = new ChunkTemplate()
  readonly #ours: OurNames

  constructor(request: ChatRequest) {
    super()
    this.#ours = request.ours
  }

  get usage(): UsageReading {
    return openAiUsage(this.#counts)
  }

  read(event: SseEvent): readonly string[] {
    if (this.done) return NO_CHUNKS
    if (event.data === '[DONE]') {
      this.done = true
      return NO_CHUNKS
    }
    if (event.event === undefined) {
      const filled = this.#template.fill(event.data)
      if (filled !== undefined) {
        this.outputBytes += filled.bytes
        return [filled.text]
      }
    }
    const chunk = eventFields(event)
    if (chunk.error || event.event === 'error') throw errorInBody(chunk)
    if (isFields(chunk.usage)) this.#counts = laterCounts(this.#counts, chunk.usage)
    this.generationId ??= textOf(chunk.id)
    const { choices } = chunk
    if (!Array.isArray(choices) || choices.length === 0) return NO_CHUNKS
    for (const choice of choices) this.#readChoice(choice)
    this.#chunks += 1
    const only = chunk.usage ? undefined : onlyText(choices as Fields[])
    const text = this.#write(chunk)
    if (only !== undefined) this.#template.learn(event.data, chunk, only)
    return [text]
  }

  close(): void {
    if (this.#chunks === 0) throw new UpstreamError('garbage', 'empty_stream')
    if (!this.done && this.finishReason === null) throw new UpstreamError('reset', 'stream_end')
  }

  #readChoice(choice: unknown): void {
    if (!isFields(choice)) throw new UpstreamError('garbage', 'choice')
    const finish = choice.finish_reason
    if (finish === 'error') throw errorInBody(choice)
    // Some servers send an empty reason in every chunk.
    if (typeof finish === 'string' && finish !== '') this.finish(finish, indexOf(choice))
    // Undefined members are not written; `delete` would slow the object down.
    if ('native_finish_reason' in choice) choice.native_finish_reason = undefined
    const { delta } = choice
    if (!isFields(delta)) choice.delta = {}
    else {
      nameToolCalls(delta)
      this.outputBytes += writtenBytes(delta)
      if (Array.isArray(delta.images)) this.pictures += delta.images.length
    }
  }

  #write(chunk: Fields): string {
    chunk.id = this.#ours.id
    chunk.object = 'chat.completion.chunk'
    chunk.created = this.#ours.created
    chunk.model = this.#ours.model
    if ('usage' in chunk) chunk.usage = undefined
    if ('provider' in chunk) chunk.provider = undefined
    if ('user_id' in chunk) chunk.user_id = undefined
    if ('openrouter_metadata' in chunk) chunk.openrouter_metadata = undefined
    if ('x_groq' in chunk) chunk.x_groq = undefined
    return JSON.stringify(chunk)
  }
}

/** The delta of a chunk with nothing but text. */
function onlyText(choices: Fields[]): Fields | undefined {
  const { delta, finish_reason: finish } = choices[0]!
  if (choices.length > 1 || typeof finish === 'string' || !isFields(delta)) return undefined
  if (typeof delta.content !== 'string' || delta.images !== undefined) return undefined
  return writtenBytes(delta) === Buffer.byteLength(delta.content) ? delta : undefined
}

function indexOf({ index }: Fields): number {
  return typeof index === 'number' ? index : 0
}

/** Some servers leave the index out. */
function nameToolCalls(delta: Fields): void {
  if (!Array.isArray(delta.tool_calls)) return
  for (const [index, call] of delta.tool_calls.entries()) {
    if (isFields(call) && typeof call.index !== 'number') call.index = index
  }
}

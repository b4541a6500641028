import { fieldsOf, isFields, textOf, type Fields } from '../../lib/json.ts'
import { chunkText, eventFields, NO_CHUNKS, StreamProgress } from '../contract/chunks.ts'
import type { ChatReader, ChatRequest, OurNames, SseEvent } from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { laterCounts } from '../contract/later-counts.ts'
import type { UsageReading } from '../contract/usage.ts'
import { anthropicFinish } from './answer.ts'
import { anthropicError } from './errors.ts'
import { encryptedDetail, isThinking, textDetail } from './thinking.ts'
import { anthropicUsage } from './usage.ts'

/** Shared by both readers of this format: the start, the counts and the end of a message. */
export class MessageProgress extends StreamProgress {
  /** The counts so far; undefined before the start. */
  protected counts: Fields | undefined

  get usage(): UsageReading {
    return anthropicUsage(this.counts)
  }

  close(): void {
    if (!this.counts) throw new UpstreamError('garbage', 'empty_stream')
    if (!this.done && this.finishReason === null) throw new UpstreamError('reset', 'stream_end')
  }

  protected readStart(message: Fields): void {
    this.generationId = textOf(message.id)
    this.counts = laterCounts(this.counts, fieldsOf(message.usage))
  }

  /** Returns whether there is a finish reason. */
  protected readDelta(event: Fields): boolean {
    if (isFields(event.usage)) this.counts = laterCounts(this.counts, event.usage)
    const { stop_reason: reason } = fieldsOf(event.delta)
    if (typeof reason !== 'string') return false
    this.finish(anthropicFinish(reason))
    return true
  }
}

export class AnthropicReader extends MessageProgress implements ChatReader {
  #tools = 0
  /** The open tool block: its index among the calls, and whether it has had no JSON yet. */
  #tool: { index: number; empty: boolean } | undefined
  #thoughts = 0
  readonly #ours: OurNames

  constructor(request: ChatRequest) {
    super()
    this.#ours = request.ours
  }

  /** Unknown events are ignored: new ones may be added at any time. */
  read(sse: SseEvent): readonly string[] {
    const event = eventFields(sse)
    switch (event.type) {
      case 'message_start':
        this.readStart(fieldsOf(event.message))
        return [chunkText(this.#ours, { role: 'assistant', content: '' })]
      case 'content_block_start':
        return this.#blockStart(fieldsOf(event.content_block))
      case 'content_block_delta':
        return this.#delta(fieldsOf(event.delta))
      case 'content_block_stop':
        return this.#blockStop()
      case 'message_delta':
        if (!this.readDelta(event)) return NO_CHUNKS
        return [chunkText(this.#ours, {}, { reason: this.finishReason })]
      case 'message_stop':
        this.done = true
        return NO_CHUNKS
      case 'error':
        throw anthropicError(event)
      default:
        return NO_CHUNKS
    }
  }

  #blockStart(block: Fields): readonly string[] {
    if (isThinking(block)) return this.#startThinking(block)
    if (block.type !== 'tool_use') return NO_CHUNKS
    this.#tool = { index: this.#tools, empty: true }
    this.#tools += 1
    const call = { name: block.name, arguments: '' }
    return this.#toolChunk({ id: block.id, type: 'function', function: call })
  }

  #startThinking(block: Fields): readonly string[] {
    this.#thoughts += 1
    if (block.type === 'thinking') return NO_CHUNKS
    return this.#detail(encryptedDetail(this.#thoughts - 1, block.data))
  }

  #think(text: unknown): readonly string[] {
    if (typeof text !== 'string' || text === '') return NO_CHUNKS
    this.outputBytes += Buffer.byteLength(text)
    return this.#detail(textDetail(this.#thoughts - 1, { text }), { reasoning: text })
  }

  #detail(detail: Fields, more: Fields = {}): readonly string[] {
    return [chunkText(this.#ours, { ...more, reasoning_details: [detail] })]
  }

  #delta(delta: Fields): readonly string[] {
    if (delta.type === 'text_delta') return this.#write(delta.text)
    if (delta.type === 'thinking_delta') return this.#think(delta.thinking)
    if (delta.type === 'signature_delta') {
      return this.#detail(textDetail(this.#thoughts - 1, { signature: delta.signature }))
    }
    const json = textOf(delta.partial_json)
    if (!json || !this.#tool) return NO_CHUNKS
    this.#tool.empty = false
    this.outputBytes += Buffer.byteLength(json)
    return this.#toolChunk({ function: { arguments: json } })
  }

  /** A tool without parameters sends no JSON; callers expect an object. */
  #blockStop(): readonly string[] {
    const chunks = this.#tool?.empty
      ? this.#toolChunk({ function: { arguments: '{}' } })
      : NO_CHUNKS
    this.#tool = undefined
    return chunks
  }

  #write(text: unknown): readonly string[] {
    if (typeof text !== 'string' || text === '') return NO_CHUNKS
    this.outputBytes += Buffer.byteLength(text)
    return [chunkText(this.#ours, { content: text })]
  }

  #toolChunk(call: Fields): readonly string[] {
    return [chunkText(this.#ours, { tool_calls: [{ index: this.#tool!.index, ...call }] })]
  }
}

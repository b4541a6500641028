import { fieldsOf, textOf, type Fields } from '../../lib/fields.ts'
import { chunkText, eventFields } from '../contract/chunks.ts'
import type { ChatReader, ChatRequest, OurNames, SseEvent } from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { ABSENT, type UsageReading } from '../contract/usage.ts'
import { anthropicUsage, anthropicFinish } from './answer.ts'
import { anthropicError } from './errors.ts'
import { encryptedDetail, isThinking, textDetail } from './thinking.ts'

const NONE: readonly string[] = []

export class AnthropicReader implements ChatReader {
  done = false
  finishReason: string | null = null
  finishes = 0
  readonly finished = new Set<number>()
  generationId: string | undefined
  outputBytes = 0
  readonly pictures = 0
  #usage: Fields | undefined
  #tools = 0
  /** The open tool block's index among the calls, and whether it has had any JSON yet. */
  #tool: { index: number; empty: boolean } | undefined
  /** Blocks of thinking so far. */
  #thoughts = 0
  readonly #ours: OurNames

  constructor(request: ChatRequest) {
    this.#ours = request.ours
  }

  get usage(): UsageReading {
    return this.#usage ? anthropicUsage(this.#usage) : ABSENT
  }

  /** New kinds of events may be added at any time: unknown ones are ignored. */
  read(sse: SseEvent): readonly string[] {
    const event = eventFields(sse)
    switch (event.type) {
      case 'message_start':
        return this.#start(fieldsOf(event.message))
      case 'content_block_start':
        return this.#blockStart(fieldsOf(event.content_block))
      case 'content_block_delta':
        return this.#delta(fieldsOf(event.delta))
      case 'content_block_stop':
        return this.#blockStop()
      case 'message_delta':
        return this.#messageDelta(event)
      case 'message_stop':
        this.done = true
        return NONE
      case 'error':
        throw anthropicError(event)
      default:
        return NONE
    }
  }

  close(): void {
    if (!this.#usage) throw new UpstreamError('garbage', 'empty_stream')
    if (!this.done && this.finishReason === null) throw new UpstreamError('reset', 'stream_end')
  }

  #start(message: Fields): readonly string[] {
    this.generationId = textOf(message.id)
    this.#usage = fieldsOf(message.usage)
    return [chunkText(this.#ours, { role: 'assistant', content: '' })]
  }

  #blockStart(block: Fields): readonly string[] {
    if (isThinking(block)) return this.#startThinking(block)
    if (block.type !== 'tool_use') return NONE
    this.#tool = { index: this.#tools, empty: true }
    this.#tools += 1
    const call = { name: block.name, arguments: '' }
    return this.#toolChunk({ id: block.id, type: 'function', function: call })
  }

  #startThinking(block: Fields): readonly string[] {
    this.#thoughts += 1
    if (block.type === 'thinking') return NONE
    return this.#detail(encryptedDetail(this.#thoughts - 1, block.data))
  }

  #think(text: unknown): readonly string[] {
    if (typeof text !== 'string' || text === '') return NONE
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
    if (!json || !this.#tool) return NONE
    this.#tool.empty = false
    this.outputBytes += Buffer.byteLength(json)
    return this.#toolChunk({ function: { arguments: json } })
  }

  /** A tool without parameters sends no JSON at all; callers expect an object. */
  #blockStop(): readonly string[] {
    const chunks = this.#tool?.empty ? this.#toolChunk({ function: { arguments: '{}' } }) : NONE
    this.#tool = undefined
    return chunks
  }

  /** Its counts are totals: they replace those of the start; what it leaves out stays. */
  #messageDelta(event: Fields): readonly string[] {
    for (const [name, value] of Object.entries(fieldsOf(event.usage))) {
      if (value !== null && value !== undefined) this.#usage = { ...this.#usage, [name]: value }
    }
    const { stop_reason: reason } = fieldsOf(event.delta)
    if (typeof reason !== 'string') return NONE
    this.finishReason = anthropicFinish(reason)
    this.finishes += 1
    this.finished.add(0)
    return [chunkText(this.#ours, {}, { reason: this.finishReason })]
  }

  #write(text: unknown): readonly string[] {
    if (typeof text !== 'string' || text === '') return NONE
    this.outputBytes += Buffer.byteLength(text)
    return [chunkText(this.#ours, { content: text })]
  }

  #toolChunk(call: Fields): readonly string[] {
    return [chunkText(this.#ours, { tool_calls: [{ index: this.#tool!.index, ...call }] })]
  }
}

import { StringDecoder } from 'node:string_decoder'
import { createParser } from 'eventsource-parser'
import type { SseEvent } from './contract.ts'
import { Fault } from './fault.ts'
import type { Flow } from './work.ts'

const EVENT_CAP = 1024 * 1024

/** Bytes to events, a batch for each read of the socket. Comments keep it alive and are dropped. */
export function eventFlow(bytes: Flow<Buffer>, cap = EVENT_CAP): Flow<readonly SseEvent[]> {
  const decoder = new StringDecoder('utf8')
  let batch: SseEvent[] = []
  let tooLarge = false
  let ended = false
  const parser = createParser({
    maxBufferSize: cap,
    onEvent: (event) => {
      if (event.data.length > cap) tooLarge = true
      batch.push(event)
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') tooLarge = true
      // Some upstreams tell a failure in mid-stream as a bare JSON line, or as a field `error`.
      else if (error.line?.startsWith('{')) batch.push({ event: 'bare', data: error.line })
      else if (error.field === 'error') batch.push({ event: 'error', data: error.value || '{}' })
    },
  })
  const feed = (text: string) => {
    parser.feed(text)
    if (!tooLarge) return
    bytes.cancel()
    throw new Fault('too_large', 'event')
  }
  const next = async (): Promise<IteratorResult<readonly SseEvent[], undefined>> => {
    while (!ended) {
      const step = await bytes.next()
      if (step.done) {
        ended = true
        // A last event without its blank line still counts.
        feed(decoder.end() + '\n\n')
      } else feed(decoder.write(step.value))
      if (batch.length === 0) continue
      const value = batch
      batch = []
      return { done: false, value }
    }
    return { done: true, value: undefined }
  }
  const cancel = () => {
    ended = true
    bytes.cancel()
  }
  return {
    next,
    return: async () => {
      cancel()
      return { done: true, value: undefined }
    },
    cancel,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

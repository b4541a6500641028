import type { Failure } from '../../lib/failure.ts'
import type { StreamForm, WholeForm } from '../chat/form.ts'
import { EventWriter } from './answer/event-writer.ts'
import { ResponseEvents, type ResponseStyle } from './answer/events.ts'
import { NativeEvents } from './answer/native-events.ts'
import { totalsOf } from './answer/response.ts'
import { nativeAnswer, wholeAnswer, wholeResponse } from './answer/whole.ts'
import type { ResponseStorage } from './stored/storage.ts'

export function responseWholeForm(style: ResponseStyle, { store }: ResponseStorage): WholeForm {
  const { head, tools, encrypted } = style
  return ({ body, native }, usage) => {
    const answer =
      native === undefined ? wholeAnswer(body, head, tools) : nativeAnswer(native, head.seed)
    return wholeResponse(answer, totalsOf(style.clock, usage), { head, encrypted, store })
  }
}

/** Open Responses wants it after the last event, OpenAI sends none; clients take both. */
const DONE = 'data: [DONE]\n\n'
const COMMENT = ': keep-alive\n\n'
/** Times 15 seconds: every two minutes. */
const BEATS_PER_EVENT = 8

export function responseStreamForm(style: ResponseStyle, storage: ResponseStorage): StreamForm {
  const writer = new EventWriter()
  let events: ResponseEvents | NativeEvents
  let silent = 0
  return {
    begin(stream) {
      const Events = stream.native === true ? NativeEvents : ResponseEvents
      events = new Events(writer, style)
      return events.begin()
    },
    write(chunks) {
      silent = 0
      return events.take(chunks)
    },
    heartbeat() {
      silent += 1
      return silent % BEATS_PER_EVENT === 0 ? keepAlive(writer) : COMMENT
    },
    end: (last, usage) => events.finish(last, totalsOf(style.clock, usage), storage.store) + DONE,
    fail(_error, failure) {
      storage.failed?.()
      return events.fail(failure) + DONE
    },
  }
}

/** Some clients time out in spite of comments, but not of events. */
function keepAlive(writer: EventWriter): string {
  writer.write('keepalive', {})
  return writer.written()
}

/** A stream that failed before it began, for clients that read this failure only in a stream. */
export function failedStream(style: ResponseStyle, failure: Failure): string {
  const events = new ResponseEvents(new EventWriter(), style)
  return events.begin() + events.fail(failure) + DONE
}

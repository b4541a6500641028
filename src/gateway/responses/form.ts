import type { Failure } from '../../lib/failure.ts'
import { textOf } from '../../lib/json.ts'
import type { StreamForm, WholeForm } from '../chat/form.ts'
import { EventWriter } from './answer/event-writer.ts'
import { ResponseEvents, type ResponseStyle } from './answer/events.ts'
import { NativeEvents } from './answer/native-events.ts'
import { totalsOf } from './answer/response.ts'
import { nativeAnswer, wholeAnswer, wholeResponse, type StoreResponse } from './answer/whole.ts'
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
export const DONE = 'data: [DONE]\n\n'
const COMMENT = ': keep-alive\n\n'
/** Times 15 seconds: every two minutes. */
const BEATS_PER_EVENT = 8

export function responseStreamForm(style: ResponseStyle, storage: ResponseStorage): StreamForm {
  const { end, fail, ...form } = eventForm(style, storage, new EventWriter())
  return {
    ...form,
    end: (last, usage) => end(last, usage) + DONE,
    fail: (error, failure) => fail(error, failure) + DONE,
  }
}

function eventForm(
  style: ResponseStyle,
  storage: ResponseStorage,
  writer: EventWriter,
): StreamForm {
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
    end: (last, usage) => events.finish(last, totalsOf(style.clock, usage), storage.store),
    fail(_error, failure) {
      storage.failed?.()
      return events.fail(failure)
    },
  }
}

/** A response that runs in the background: its events are kept, not sent. */
export type ResponseRun = {
  /** As they were told when it was accepted. */
  seed: string
  createdAt: number
  writer: EventWriter
  events(text: string): void
  /** To be told only once the response is settled. */
  lastEvents(text: string): void
  /** Written in the settling commit. */
  ended(status: string): ReturnType<ResponseStorage['writes']>
  failed(failure: Failure): void
}

export type RunForm = StreamForm & Pick<ResponseStorage, 'writes'>

export function runForm(style: ResponseStyle, storage: ResponseStorage, run: ResponseRun): RunForm {
  let status = ''
  const store: StoreResponse = (response) =>
    storage.store(() => {
      const made = response()
      status = textOf(made.status) ?? ''
      return made
    })
  const form = eventForm(style, { ...storage, store }, run.writer)
  const kept = (text: string) => {
    run.events(text)
    return text
  }
  return {
    begin: (stream) => kept(form.begin(stream)),
    write: (chunks) => kept(form.write(chunks)),
    heartbeat: () => '',
    end(last, usage) {
      const text = form.end(last, usage)
      run.lastEvents(text)
      return text
    },
    fail(_error, failure) {
      run.failed(failure)
      return ''
    },
    writes: () => [...storage.writes(), ...run.ended(status)],
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

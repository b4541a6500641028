import { fieldsOf, listOf } from '../../lib/fields.ts'
import type { StreamForm, WholeForm } from '../chat/form.ts'
import { messageOf, readAnswer, type AnswerNames } from './answer.ts'
import { nativeEnd, nativeStart, nativeWhole } from './native-form.ts'
import { MessageEvents, PING } from './stream.ts'
import { messageUsage } from './usage.ts'

export function messageWhole(names: AnswerNames): WholeForm {
  return ({ body, finishReason, native }, usage) => {
    if (native !== undefined) return nativeWhole(native, usage)
    const { message } = fieldsOf(listOf(body.choices)[0])
    const { content, stopReason } = readAnswer(fieldsOf(message), finishReason, names)
    return messageOf(names, content, { stopReason, usage: messageUsage(usage) })
  }
}

export function messageStreamForm(names: AnswerNames, promptTokens: number): StreamForm {
  const events = new MessageEvents(names)
  let native = false
  let started = false
  const pass = ([first = '', ...more]: readonly string[]) => {
    const start = started ? first : nativeStart(first, promptTokens)
    started = true
    return start + more.join('')
  }
  return {
    begin(stream) {
      native = stream.native === true
      return native ? '' : events.start(promptTokens)
    },
    write: (chunks) => (native ? pass(chunks) : events.write(chunks)),
    heartbeat: () => PING,
    end: (last, usage) => (native ? nativeEnd(last, usage) : events.end(last, usage)),
    fail: (error) => `event: error\ndata: ${error}\n\n`,
  }
}

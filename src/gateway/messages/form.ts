import { fieldsOf, listOf } from '../../lib/fields.ts'
import type { StreamForm, WholeForm } from '../chat/form.ts'
import { contentOf, messageOf, stopReasonOf, type AnswerNames } from './answer.ts'
import { MessageEvents, PING, STOP } from './stream.ts'
import { messageUsage } from './usage.ts'

export function messageWhole(names: AnswerNames): WholeForm {
  return ({ body, finishReason, native }, usage) => {
    if (native !== undefined) return native
    const { message } = fieldsOf(listOf(body.choices)[0])
    const content = contentOf(fieldsOf(message), finishReason, names)
    const calls = content.some(({ type }) => type === 'tool_use')
    const stopReason = stopReasonOf(finishReason, calls)
    return messageOf(names, content, { stopReason, usage: messageUsage(usage) })
  }
}

export function messageStreamForm(names: AnswerNames, promptTokens: number): StreamForm {
  const events = new MessageEvents(names)
  let native = false
  return {
    begin(stream) {
      native = stream.native === true
      return native ? '' : events.start(promptTokens)
    },
    write: (chunks) => (native ? chunks.join('') : events.write(chunks)),
    heartbeat: () => PING,
    end: (last, usage) => (native ? nativeEnd(last) : events.end(last, usage)),
    fail: (error) => `event: error\ndata: ${error}\n\n`,
  }
}

/** Some upstreams close the connection without saying so. */
function nativeEnd(last: readonly string[]): string {
  const text = last.join('')
  return text.includes(STOP) ? text : text + STOP
}

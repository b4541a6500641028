import { fieldsOf, listOf } from '../../lib/fields.ts'
import type { StreamForm, WholeForm } from '../chat/form.ts'
import { contentOf, messageOf, stopReasonOf, type AnswerNames } from './answer.ts'
import { MessageEvents, PING } from './stream.ts'
import { messageUsage } from './usage.ts'

export function messageWhole(names: AnswerNames): WholeForm {
  return ({ body, finishReason }, usage) => {
    const { message } = fieldsOf(listOf(body.choices)[0])
    const content = contentOf(fieldsOf(message), finishReason, names)
    const calls = content.some(({ type }) => type === 'tool_use')
    const stopReason = stopReasonOf(finishReason, calls)
    return messageOf(names, content, { stopReason, usage: messageUsage(usage) })
  }
}

export function messageStreamForm(names: AnswerNames, promptTokens: number): StreamForm {
  const events = new MessageEvents(names)
  return {
    begin: () => events.start(promptTokens),
    write: (chunks) => events.write(chunks),
    heartbeat: () => PING,
    end: (last, usage) => events.end(last, usage),
    fail: (error) => `event: error\ndata: ${error}\n\n`,
  }
}

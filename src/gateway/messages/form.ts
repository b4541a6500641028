import { fieldsOf, listOf, textOf, type Fields } from '../../lib/json.ts'
import type { Usage } from '../../upstream/contract/usage.ts'
import { brokenCall } from '../chat/dialects.ts'
import type { StreamForm, WholeForm } from '../chat/form.ts'
import { JsonEnd } from '../../lib/json-end.ts'
import { messageOf, readAnswer, UNTOLD, UNTOLD_END, type AnswerNames } from './answer.ts'
import { MessageEvents, PING, STOP } from './stream.ts'
import { endingUsage, messageUsage, UNTOLD_USAGE } from './usage.ts'

export function messageWhole(names: AnswerNames): WholeForm {
  return ({ body, finishReason, native }, usage) => {
    if (native !== undefined) return nativeWhole(native, usage)
    const { message } = fieldsOf(listOf(body.choices)[0])
    const { content, ending } = readAnswer(fieldsOf(message), finishReason, names)
    return messageOf(names, content, { ending, usage: messageUsage(usage) })
  }
}

export function messageStreamForm(names: AnswerNames, promptTokens: number): StreamForm {
  const events = new MessageEvents(names)
  const calls = new NativeCalls()
  let native = false
  let started = false
  const pass = (chunks: readonly string[]) => {
    calls.read(chunks)
    const [first = '', ...more] = chunks
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
    end(last, usage) {
      if (!native) return events.end(last, usage)
      calls.read(last)
      calls.refuse(last)
      return nativeEnd(last, usage)
    },
    fail: (error) => `event: error\ndata: ${error}\n\n`,
  }
}

/*
 * Answers of an upstream that speaks this dialect pass unchanged but for the counts, which are
 * those that are charged, and for what it leaves out and clients want.
 */

function nativeWhole(message: Fields, usage: Usage): Fields {
  return { ...UNTOLD, ...message, usage: messageUsage(usage, uncounted(message)) }
}

/** The first event. Clients show by its input tokens how full the context is. */
function nativeStart(event: string, promptTokens: number): string {
  const { message, ...rest } = dataOf(event)
  const said = fieldsOf(message)
  const told = fieldsOf(said.usage)
  const isCounted = typeof told.input_tokens === 'number' && told.input_tokens >= 0
  const whole = nativeWhole(said, { promptTokens })
  const usage = isCounted ? { ...UNTOLD_USAGE, ...told } : whole.usage
  return withData(event, { ...rest, message: { ...whole, usage } })
}

/** The last events. Some upstreams close the connection without `message_stop`. */
function nativeEnd(last: readonly string[], usage: Usage): string {
  const text = last.map((event) => withTotals(event, usage)).join('')
  return text.includes(STOP) ? text : text + STOP
}

function withTotals(event: string, usage: Usage): string {
  if (!event.startsWith('event: message_delta\n')) return event
  const data = dataOf(event)
  const delta = { ...UNTOLD_END, ...fieldsOf(data.delta) }
  return withData(event, { ...data, delta, usage: endingUsage(usage, uncounted(data)) })
}

/** Counts that we do not know pass too, but no parts and no sum of ours. */
function uncounted(told: Fields): Fields {
  const rest = { ...fieldsOf(told.usage) }
  for (const name of OF_OURS) delete rest[name]
  return rest
}

const OF_OURS = ['cache_creation', 'output_tokens_details', 'total_tokens']

/** Whether a call ended before its arguments did. Only their events are parsed, and none is kept. */
class NativeCalls {
  #open = new JsonEnd()
  #broken = false

  read(events: readonly string[]): void {
    for (const event of events) {
      if (event.includes('"input_json_delta"')) {
        this.#open.read(textOf(fieldsOf(dataOf(event).delta).partial_json) ?? '')
      } else if (event.startsWith('event: content_block_stop\n')) {
        this.#broken ||= this.#open.half
        this.#open = new JsonEnd()
      }
    }
  }

  /** Throws where half a call is not the work of a limit. */
  refuse(last: readonly string[]): void {
    if (this.#broken && last.some((event) => event.includes('"stop_reason":"tool_use"'))) {
      throw brokenCall()
    }
  }
}

const DATA = '\ndata: '

function dataOf(event: string): Fields {
  return JSON.parse(event.slice(event.indexOf(DATA) + DATA.length)) as Fields
}

function withData(event: string, data: Fields): string {
  return `${event.slice(0, event.indexOf(DATA))}${DATA}${JSON.stringify(data)}\n\n`
}

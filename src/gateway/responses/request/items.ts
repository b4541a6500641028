import { invalidField } from '../../../lib/failure.ts'
import { isFields, parseForeignJson, textOf, type Fields } from '../../../lib/json.ts'
import { customArguments } from '../../chat/tools/custom-tools.ts'
import { resultText } from '../../chat/dialects.ts'
import { calledClientTool, clientCall, clientResult } from './client-tools.ts'
import { chatParts, isText, joined, textOnly } from './content.ts'
import { kindOf, type SentItem } from './item-kinds.ts'
import { chatToolName } from './tools.ts'

/* Single items, as a chat writes them. */

const ROLES = new Map<unknown, 'user' | 'system'>([
  ['user', 'user'],
  ['system', 'system'],
  // Not every upstream knows this role.
  ['developer', 'system'],
])

export function inputMessage({ item, at }: SentItem): Fields {
  const role = ROLES.get(item.role)
  if (role === undefined) {
    throw invalidField(`${at}.role`, 'must be one of user, assistant, system, developer')
  }
  const field = `${at}.content`
  if (role === 'system') return { role, content: textOnly(item.content, field) }
  const parts = chatParts(item.content, field)
  if (parts.length === 0) return { role, content: '' }
  return { role, content: parts.length === 1 && isText(parts[0]!) ? parts[0]!.text : parts }
}

/** Of one kind of result its own id is that of its call. */
export function callId({ item, at }: SentItem): string {
  const own = item.type === 'local_shell_call_output' ? item.id : undefined
  const id = item.call_id ?? own
  if (typeof id === 'string' && id !== '') return id
  throw invalidField(`${at}.call_id`, 'is required')
}

export function calledFunction(sent: SentItem): Fields {
  const { item, at } = sent
  const kind = calledClientTool(item)
  if (kind !== undefined) return clientCall(kind, sent)
  const { name } = item
  if (typeof name !== 'string') throw invalidField(`${at}.name`, 'must be a string')
  const custom = item.type === 'custom_tool_call'
  const field = custom ? 'input' : 'arguments'
  const text = item[field]
  if (typeof text !== 'string') throw invalidField(`${at}.${field}`, 'must be a string')
  return {
    name: chatToolName(name, textOf(item.namespace)),
    arguments: custom ? customArguments(text) : objectText(text),
  }
}

/** A call with broken arguments stays in the conversation; some upstreams refuse it as it is. */
function objectText(text: string): string {
  if (text.trim() === '') return '{}'
  try {
    if (isFields(parseForeignJson(text))) return text
  } catch {
    // Shown to the model as it wrote it.
  }
  return JSON.stringify({ arguments: text })
}

/** The text of a result, and what a `tool` message cannot hold. */
export function resultParts(sent: SentItem): { text: string; attached: Fields[] } {
  const { item, at } = sent
  const ran = clientResult(sent)
  const parts = chatParts(ran ?? item.output, `${at}.output`)
  const attached = parts.filter((part) => !isText(part))
  return { text: resultText(joined(parts.filter(isText)), attached), attached }
}

export type SentResult = SentItem & { position: number }
/** Results with one call id in their order, and which one is next. */
export type WaitingResults = { results: SentResult[]; next: number }

export function resultsOf(items: readonly SentItem[]): Map<string, WaitingResults> {
  const waiting = new Map<string, WaitingResults>()
  items.forEach((sent, position) => {
    if (kindOf(sent) !== 'result') return
    const id = callId(sent)
    const known = waiting.get(id) ?? { results: [], next: 0 }
    known.results.push({ ...sent, position })
    waiting.set(id, known)
  })
  return waiting
}

import { invalidField } from '../../../lib/failure.ts'
import { checkCount } from '../../chat/messages.ts'
import { isFields, type Fields } from '../../../lib/json.ts'

/** `at` is the request's field that it came from. */
export type SentItem = { item: Fields; at: string }

export type ItemKind =
  | 'message'
  | 'reasoning'
  | 'call'
  | 'result'
  | 'reference'
  | 'tools'
  | 'update'
  | 'compaction'
  | 'search'
  | 'skipped'

const KINDS: Record<string, ItemKind> = {
  message: 'message',
  reasoning: 'reasoning',
  function_call: 'call',
  custom_tool_call: 'call',
  shell_call: 'call',
  local_shell_call: 'call',
  apply_patch_call: 'call',
  function_call_output: 'result',
  custom_tool_call_output: 'result',
  shell_call_output: 'result',
  local_shell_call_output: 'result',
  apply_patch_call_output: 'result',
  item_reference: 'reference',
  additional_tools: 'tools',
  // What a search among the caller's tools found.
  tool_search_output: 'tools',
  tool_search_call: 'search',
  configuration_update: 'update',
  compaction: 'compaction',
  // As Codex calls it.
  compaction_summary: 'compaction',
  program: 'skipped',
}

/** Records of tools that a provider ran, future ones included: the model does without them. */
const HOSTED_RECORD = /_(call|output|list_tools|approval_request|approval_response)$/

export function inputItems(input: unknown): SentItem[] {
  if (typeof input === 'string') {
    return [{ item: { type: 'message', role: 'user', content: input }, at: 'input' }]
  }
  if (!Array.isArray(input)) throw invalidField('input', 'must be a string or an array of items')
  checkCount(input, 'input')
  return input.map((item: unknown, i) => {
    const at = `input[${i}]`
    if (!isFields(item)) throw invalidField(at, 'must be an object')
    return { item, at }
  })
}

export function kindOf({ item, at }: SentItem): ItemKind {
  const { type } = item
  if (type === undefined || type === null) return item.role === undefined ? 'reference' : 'message'
  if (typeof type !== 'string') throw invalidField(`${at}.type`, 'must be a string')
  if (Object.hasOwn(KINDS, type)) return KINDS[type]!
  if (HOSTED_RECORD.test(type)) return 'skipped'
  throw invalidField(`${at}.type`, 'is not known here')
}

/** It names a stored item by its id. */
export const isReference = (sent: SentItem) => kindOf(sent) === 'reference'

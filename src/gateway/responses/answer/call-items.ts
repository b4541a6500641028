import { fieldsOf, listOf, parseForeignJson, textOf, type Fields } from '../../../lib/json.ts'
import type { Part } from '../../chat/answer-parts.ts'
import { customInput } from '../../chat/tools/custom-tools.ts'
import type { OwnTool, OwnTools } from '../request/tools.ts'

/* Calls of tools as items, by the kind of tool. A model calls each as a function. */

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

type Said = { text: string; status: ItemStatus }

type CallItem = {
  prefix: string
  type: string
  members(said: Said, name: Fields): Fields
}

const CALLS: Record<OwnTool['kind'], CallItem> = {
  function: {
    prefix: 'fc_',
    type: 'function_call',
    members: ({ text, status }, name) => ({ ...name, arguments: text, status }),
  },
  custom: {
    prefix: 'ctc_',
    type: 'custom_tool_call',
    // Never `incomplete`: some clients do not know it here.
    members: (said, name) => ({
      ...name,
      input: isOpen(said) ? '' : customInput(said.text),
      status: isOpen(said) ? said.status : 'completed',
    }),
  },
  shell: {
    prefix: 'sh_',
    type: 'shell_call',
    members: ({ text, status }) => {
      const { commands, timeout_ms, max_output_length } = argumentsIn(text)
      const limits = {
        timeout_ms: countOf(timeout_ms),
        max_output_length: countOf(max_output_length),
      }
      return { action: { commands: textsOf(commands), ...limits }, environment: null, status }
    },
  },
  local_shell: {
    prefix: 'lsh_',
    type: 'local_shell_call',
    // Clients do not read null here.
    members: ({ text, status }) => {
      const { command, timeout_ms, working_directory } = argumentsIn(text)
      const place = {
        timeout_ms: countOf(timeout_ms) ?? undefined,
        working_directory: textOf(working_directory),
      }
      return { action: { type: 'exec', command: textsOf(command), env: {}, ...place }, status }
    },
  },
  apply_patch: {
    prefix: 'apc_',
    type: 'apply_patch_call',
    members: (said) => ({
      operation: operationIn(argumentsIn(said.text)),
      status: isOpen(said) ? said.status : 'completed',
    }),
  },
}

export function callItem(id: string, part: Part, tools: OwnTools, said: Said): Fields {
  const { type, members } = CALLS[callKind(part, tools)]
  return { id, type, call_id: part.id, ...members(said, calledName(part, tools)) }
}

export function callPrefix(part: Part, tools: OwnTools): string {
  return CALLS[callKind(part, tools)].prefix
}

/** What it is called with makes an item of its own: such an item is told when it is whole. */
export function isToldWhole(part: Part, tools: OwnTools): boolean {
  if (part.kind !== 'call') return false
  const kind = callKind(part, tools)
  return kind !== 'function' && kind !== 'custom'
}

/** A tool that was not offered is called as a function. */
export function callKind({ name }: Part, tools: OwnTools): OwnTool['kind'] {
  return tools.get(name)?.kind ?? 'function'
}

function isOpen({ status }: Said): boolean {
  return status === 'in_progress'
}

/** A tool that was not offered keeps the model's name for it. */
function calledName({ name }: Part, tools: OwnTools): Fields {
  const own = tools.get(name)
  if (own === undefined) return { name }
  return own.namespace === undefined
    ? { name: own.name }
    : { name: own.name, namespace: own.namespace }
}

/** Empty before the end, and where they are no JSON object. */
function argumentsIn(text: string): Fields {
  try {
    return text === '' ? {} : fieldsOf(parseForeignJson(text))
  } catch {
    return {}
  }
}

function textsOf(value: unknown): string[] {
  const list = typeof value === 'string' ? [value] : listOf(value)
  return list.filter((one): one is string => typeof one === 'string')
}

function countOf(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null
}

/** What is not plainly another operation is an update: that fails where it does not fit. */
function operationIn({ type, path: asked, diff }: Fields): Fields {
  const path = textOf(asked) ?? ''
  if (type === 'delete_file') return { type, path }
  const kind = type === 'create_file' ? type : 'update_file'
  return { type: kind, path, diff: textOf(diff) ?? '' }
}

import { invalidField } from '../../../lib/failure.ts'
import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../../lib/json.ts'
import { chatToolName, refuseHosted, type ReadTools } from './tools.ts'

export type ChatTools = { tools?: Fields[]; tool_choice?: unknown }

/** Upstreams refuse a tool choice without tools. */
export function toolFields(read: ReadTools, choice: unknown): ChatTools {
  if (isFields(choice) && choice.type === 'allowed_tools') return allowed(read, choice)
  const forced = forcedName(read, choice)
  if (read.chat.length === 0) return withoutTools(read, choice)
  if (forced === undefined) return { tools: read.chat, tool_choice: wordOf(choice) }
  if (!read.own.has(forced)) throw invalidField('tool_choice', 'names a tool that is not in tools')
  return { tools: read.chat, tool_choice: { type: 'function', function: { name: forced } } }
}

const WORDS = new Set<unknown>(['auto', 'none', 'required'])

function wordOf(choice: unknown): string | undefined {
  if (choice === undefined || choice === null) return undefined
  if (WORDS.has(choice)) return choice as string
  throw invalidField('tool_choice', 'must be auto, none, required or name a tool')
}

function withoutTools(read: ReadTools, choice: unknown): ChatTools {
  if (wordOf(choice) === 'none') return {}
  if (read.hosted !== undefined) throw refuseHosted(read.hosted)
  if (choice === 'required') throw invalidField('tool_choice', 'needs tools')
  return {}
}

/** The one tool that must be called. */
function forcedName(read: ReadTools, choice: unknown): string | undefined {
  if (!isFields(choice)) return undefined
  const name = nameIn(choice)
  if (name !== undefined) return name
  const hosted = read.hosted?.type === choice.type ? read.hosted : undefined
  throw hosted === undefined
    ? invalidField('tool_choice', 'names a tool that is not run here')
    : refuseHosted(hosted)
}

function nameIn(choice: Fields): string | undefined {
  if (choice.type !== 'function' && choice.type !== 'custom') return undefined
  // Some clients write it as in a chat.
  const name = textOf(choice.name) ?? textOf(fieldsOf(choice.function).name)
  return name === undefined ? undefined : chatToolName(name, textOf(choice.namespace))
}

/** Only some tools may be called: the chat gets only those. */
function allowed(read: ReadTools, choice: Fields): ChatTools {
  const names = new Set(listOf(choice.tools).map((tool) => nameIn(fieldsOf(tool))))
  const tools = read.chat.filter((tool) => names.has(textOf(fieldsOf(tool.function).name)))
  const must = choice.mode === 'required'
  if (tools.length > 0) return { tools, tool_choice: must ? 'required' : 'auto' }
  if (must) throw invalidField('tool_choice.tools', 'names no tool that can be called')
  return read.chat.length === 0 ? {} : { tools: read.chat, tool_choice: 'none' }
}

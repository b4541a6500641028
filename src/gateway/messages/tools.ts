import { Failure, invalidField } from '../../lib/failure.ts'
import { fieldsOf, isFields, textOf, type Fields } from '../../lib/json.ts'
import { fittedToolName } from '../chat/dialects.ts'
import type { MessagesBody } from './body.ts'

/** Tool names: as the model knows them, and as the caller does. */
export type ToolNames = {
  short(name: string): string
  full(name: string): string
}

export function chatTools(
  kept: readonly Fields[],
  choice: unknown,
): { fields: Fields; names: ToolNames } {
  const own = kept.filter((tool) => !isClientRun(tool) && !isToolSearch(tool))
  const names = toolNames(own.map(({ name }) => String(name)))
  if (own.length === 0) return { fields: {}, names }
  const { disable_parallel_tool_use: serial } = fieldsOf(choice)
  const fields: Fields = { tools: own.map((tool) => functionOf(tool, names)) }
  if (isFields(choice)) fields.tool_choice = choiceOf(choice, names)
  if (serial === true) fields.parallel_tool_calls = false
  return { fields, names }
}

/**
 * The tools that the caller runs, and the search among them, which costs nothing, for upstreams of
 * this dialect. A tool that an upstream would run has its own price and is left out; if it is the only one, or required, the request is refused: the model would invent its
 * result.
 */
export function keptTools(
  { tools: sent, tool_choice: choice }: MessagesBody,
  native: boolean,
): Fields[] {
  const tools = sent ?? []
  const own = tools.filter((tool, i): tool is Fields => isOwn(tool, `tools[${i}]`, native))
  const left = tools.find((tool) => !own.includes(tool as Fields))
  if (left === undefined) return own
  const forced = textOf(fieldsOf(choice).name)
  const isForced = forced !== undefined && !own.some(({ name }) => name === forced)
  if (own.length > 0 && !isForced) return own
  throw new Failure('unsuitable', `tools: "${typeOf(left)}" is not supported.`, {
    param: 'tools',
    code: 'model_capability',
  })
}

function typeOf(tool: unknown): string {
  return (textOf(fieldsOf(tool).type) ?? '').replaceAll(/[^\w.-]/g, '?').slice(0, 60)
}

const CLIENT_RUN = /^(bash|text_editor|computer|memory|browser_toolset)_/

/** The caller runs it, but only models of its provider know its schema. */
export function isClientRun(tool: Fields): boolean {
  return CLIENT_RUN.test(typeOf(tool))
}

/** It finds tools that are sent with `defer_loading`. */
function isToolSearch(tool: Fields): boolean {
  return TOOL_SEARCH.test(typeOf(tool))
}

const TOOL_SEARCH = /^tool_search_tool_(regex|bm25)/

function isOwn(tool: unknown, at: string, native: boolean): boolean {
  if (!isFields(tool)) throw invalidField(at, 'must be an object')
  const { type, name } = tool
  if (type !== undefined && type !== null && type !== 'custom') {
    if (isToolSearch(tool)) return native
    if (!isClientRun(tool) || native) return isClientRun(tool)
    throw new Failure('unsuitable', `${at}: this model does not support "${typeOf(tool)}".`, {
      param: at,
      code: 'model_capability',
    })
  }
  if (typeof name !== 'string' || name === '') throw invalidField(`${at}.name`, 'must be a string')
  return true
}

function functionOf(tool: Fields, names: ToolNames): Fields {
  const { name, description, input_schema: schema, strict } = tool
  return {
    type: 'function',
    function: {
      name: names.short(String(name)),
      description: textOf(description),
      parameters: isFields(schema) ? schema : { type: 'object', properties: {} },
      strict: strict === true ? true : undefined,
    },
  }
}

function choiceOf({ type, name }: Fields, names: ToolNames): unknown {
  if (type === 'auto' || type === 'none') return type
  if (type === 'any') return 'required'
  if (type === 'tool' && typeof name === 'string') {
    return { type: 'function', function: { name: names.short(name) } }
  }
  throw invalidField('tool_choice.type', 'must be auto, any, tool or none')
}

export function toolNames(used: readonly string[]): ToolNames {
  const full = new Map(used.map((name) => [fittedToolName(name), name]))
  return { short: fittedToolName, full: (name) => full.get(name) ?? name }
}

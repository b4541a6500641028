import { invalidField } from '../../../lib/failure.ts'
import { fieldsOf, isFields, parseForeignJson, textOf, type Fields } from '../../../lib/json.ts'

/*
 * Tools that take free text instead of JSON. Every model knows functions, and no setting says
 * whose chats know these: a model gets such a tool as a function with one text.
 */

/** `format` as Responses write it. */
export function customFunction({ description, format }: Fields): Fields {
  const parts = [textOf(description) ?? '', grammarOf(fieldsOf(format))]
  return {
    description: parts.filter((text) => text !== '').join('\n\n'),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string' } },
      required: ['input'],
      additionalProperties: false,
    },
  }
}

/** Chats have it one level deeper. */
function grammarOf({ type, grammar, ...flat }: Fields): string {
  if (type !== 'grammar') return ''
  const { syntax, definition } = isFields(grammar) ? grammar : flat
  const text = textOf(definition) ?? ''
  return `The input must follow this ${textOf(syntax) ?? 'formal'} grammar:\n${text}`
}

export function customArguments(input: string): string {
  return JSON.stringify({ input })
}

export function customInput(args: string): string {
  try {
    return textOf(fieldsOf(parseForeignJson(args)).input) ?? args
  } catch {
    // Not JSON: the model may have written the text itself.
    return args
  }
}

type ToolFields = { messages: unknown[]; tools?: unknown[] | null | undefined }
export type CustomNames = ReadonlySet<string>

/** A chat with functions for its custom tools, and their names; the same body if there are none. */
export function withFunctions<Body extends ToolFields>(
  body: Body,
): { body: Body; custom: CustomNames } {
  const custom = new Set<string>()
  const tools = body.tools?.map((tool, i) => {
    if (!isCustom(tool)) return tool
    const { name, ...about } = called(tool, `tools[${i}]`)
    custom.add(name)
    return { type: 'function', function: { name, ...customFunction(about) } }
  })
  const hasCalls = body.messages.some((message) => callsOf(message).some(isCustom))
  if (custom.size === 0 && !hasCalls) return { body, custom }
  const messages = hasCalls ? body.messages.map(withFunctionCalls) : body.messages
  return { body: { ...body, messages, tools }, custom }
}

function isCustom(tool: unknown): tool is Fields {
  return isFields(tool) && tool.type === 'custom'
}

function called({ custom }: Fields, at: string): Fields & { name: string } {
  const { name, ...more } = fieldsOf(custom)
  if (typeof name === 'string' && name !== '') return { ...more, name }
  throw invalidField(`${at}.custom.name`, 'must be a string')
}

function callsOf(message: unknown): unknown[] {
  return isFields(message) && Array.isArray(message.tool_calls) ? message.tool_calls : []
}

function withFunctionCalls(message: unknown, i: number): unknown {
  const calls = callsOf(message)
  if (!calls.some(isCustom)) return message
  const made = calls.map((call, k) =>
    isCustom(call) ? functionCall(call, `messages[${i}].tool_calls[${k}]`) : call,
  )
  return { ...(message as Fields), tool_calls: made }
}

function functionCall(call: Fields, at: string): Fields {
  const { custom, ...rest } = call
  const { name, input } = called({ custom }, at)
  if (typeof input !== 'string') throw invalidField(`${at}.custom.input`, 'must be a string')
  return { ...rest, type: 'function', function: { name, arguments: customArguments(input) } }
}

import { invalidField } from '../../../lib/failure.ts'
import { fieldsOf, isFields, textOf, type Fields } from '../../../lib/json.ts'

type Chosen = { tools?: unknown[] | null | undefined; tool_choice?: unknown }

/**
 * A choice in words that every model knows, of tools that are functions: upstreams that do not know
 * `allowed_tools` say nothing of it, and their models call what they like. The same body if there
 * is nothing to change.
 */
export function withKnownChoice<Body extends Chosen>(body: Body): Body {
  const { tool_choice: choice } = body
  if (!isFields(choice)) return body
  if (choice.type === 'allowed_tools') return { ...body, ...narrowed(body.tools ?? [], choice) }
  return choice.type === 'custom' ? { ...body, tool_choice: functionNamed(choice) } : body
}

/** The model gets only the tools that it may call. */
function narrowed(tools: readonly unknown[], { allowed_tools: allowed }: Fields): Chosen {
  const { mode, tools: wanted } = fieldsOf(allowed)
  const at = 'tool_choice.allowed_tools'
  if (mode !== 'auto' && mode !== 'required') {
    throw invalidField(`${at}.mode`, 'must be auto or required')
  }
  if (!Array.isArray(wanted)) throw invalidField(`${at}.tools`, 'must be an array')
  const names = new Set(wanted.map((tool) => nameIn(fieldsOf(tool))).filter((name) => name !== ''))
  const left = tools.filter((tool) => names.has(nameIn(fieldsOf(tool))))
  if (left.length > 0) return { tools: left, tool_choice: mode }
  if (mode === 'required') throw invalidField(`${at}.tools`, 'name no tool that is in tools')
  return { tool_choice: tools.length > 0 ? 'none' : undefined }
}

function functionNamed(choice: Fields): Fields {
  const name = nameIn(choice)
  if (name === '') throw invalidField('tool_choice.custom.name', 'must be a string')
  return { type: 'function', function: { name } }
}

/** Of a tool, or of a choice of one; some clients write the name beside the type. */
function nameIn({ name, function: made, custom }: Fields): string {
  return textOf(fieldsOf(made).name) ?? textOf(fieldsOf(custom).name) ?? textOf(name) ?? ''
}

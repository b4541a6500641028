import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import type { MessagesBody, ReadingModel } from './body.ts'

const REASONING = ['reasoning', 'reasoning_effort', 'include_reasoning']
/** A chat has no name for `max`. */
const EFFORTS: Record<string, string> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'xhigh',
}
const LOW_TOKENS = 4_096
const MEDIUM_TOKENS = 16_384

export function effortFor(body: MessagesBody, model: ReadingModel): Fields {
  if (!REASONING.some((name) => model.supportedParameters.includes(name))) return {}
  const thinking = fieldsOf(body.thinking)
  if (thinking.type === 'disabled') return { reasoning_effort: 'none' }
  const asked = textOf(fieldsOf(body.output_config).effort)
  if (asked !== undefined && Object.hasOwn(EFFORTS, asked)) {
    return { reasoning_effort: EFFORTS[asked] }
  }
  const budget = thinking.budget_tokens
  if (thinking.type !== 'enabled' || typeof budget !== 'number') return {}
  return { reasoning_effort: effortOfBudget(budget) }
}

function effortOfBudget(tokens: number): string {
  if (tokens <= LOW_TOKENS) return 'low'
  return tokens <= MEDIUM_TOKENS ? 'medium' : 'high'
}

export function formatFor(body: MessagesBody): Fields {
  const { format } = fieldsOf(body.output_config)
  const { type, schema } = fieldsOf(format)
  if (type !== 'json_schema' || !isFields(schema)) return {}
  const strict = isStrict(schema) ? true : undefined
  return {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict } },
  }
}

/** `strict` is refused for a schema that leaves anything open. */
function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (!isFields(schema)) return true
  if (isFields(schema.properties)) {
    const required = listOf(schema.required)
    if (schema.additionalProperties !== false) return false
    if (!Object.keys(schema.properties).every((name) => required.includes(name))) return false
  }
  return Object.values(schema).every(isStrict)
}

import { fieldsOf, type Fields } from '../../lib/json.ts'

/** A field of a request, and the names of which a model's list must have one. */
export type Needed = { field: string; names: readonly string[] }

/** In the words of any dialect: those that a model must support, in the caller's order. */
export function neededIn(body: Fields): Needed[] {
  const given = Object.entries(body).filter(([name, value]) => !FREE.has(name) && isGiven(value))
  return given.flatMap(([field, value]) => {
    if (field === 'text') return inText(fieldsOf(value))
    if (field === 'output_config') return inOutput(fieldsOf(value))
    return [{ field, names: OTHER_NAMES[field] ?? [field] }]
  })
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}

/** Every model takes these, or they are answered for here. */
const FREE = new Set(
  'model messages input system instructions stream stream_options max_tokens max_completion_tokens max_output_tokens n modalities user metadata safety_identifier session_id prompt_cache_key store previous_response_id include background client_metadata'.split(
    ' ',
  ),
)

const REASONING = ['reasoning', 'reasoning_effort', 'include_reasoning']
const FORMAT = ['response_format', 'structured_outputs']
const OTHER_NAMES: Record<string, readonly string[]> = {
  functions: ['tools'],
  function_call: ['tools', 'tool_choice'],
  tool_choice: ['tools', 'tool_choice'],
  parallel_tool_calls: ['tools', 'parallel_tool_calls'],
  reasoning: REASONING,
  reasoning_effort: REASONING,
  include_reasoning: REASONING,
  thinking: REASONING,
  response_format: FORMAT,
  stop_sequences: ['stop'],
  top_logprobs: ['top_logprobs', 'logprobs'],
}

function inText({ format, verbosity }: Fields): Needed[] {
  const { type = 'text' } = fieldsOf(format)
  return [
    ...(type === 'text' ? [] : [{ field: 'text.format', names: FORMAT }]),
    ...(isGiven(verbosity) ? [{ field: 'text.verbosity', names: ['verbosity'] }] : []),
  ]
}

function inOutput({ format, effort }: Fields): Needed[] {
  return [
    ...(isGiven(format) ? [{ field: 'output_config.format', names: FORMAT }] : []),
    ...(isGiven(effort) ? [{ field: 'output_config.effort', names: REASONING }] : []),
  ]
}

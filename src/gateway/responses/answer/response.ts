import type { Fields } from '../../../lib/json.ts'
import type { Usage } from '../../../upstream/contract/usage.ts'
import { endsEarly } from '../../chat/dialects.ts'
import type { ResponsesBody } from '../request/body.ts'

/** A response before the model's first word. */
export type ResponseStart = {
  /** 24 characters, in the ids of the response and of its items. */
  seed: string
  model: string
  /** Unix seconds. */
  createdAt: number
  body: ResponsesBody
}

export type ResponseEnd = {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  output: Fields[]
  incomplete?: string | undefined
  error?: { code: string; message: string } | undefined
  usage?: Fields | undefined
  /** Whether later requests can continue it; before the end: if all goes well. */
  store?: boolean | undefined
}

export function responseOf(head: ResponseStart, end: ResponseEnd): Fields {
  return { ...lastingFields(head), ...changingFields(head, end), output: end.output }
}

/** The fields that stay the same in all events of a stream. */
export function lastingFields({ seed, createdAt, model, body }: ResponseStart): Fields {
  return {
    id: `resp_${seed}`,
    object: 'response',
    created_at: createdAt,
    background: false,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    model,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
  }
}

export function changingFields({ body }: ResponseStart, end: Omit<ResponseEnd, 'output'>): Fields {
  return {
    status: end.status,
    error: end.error ?? null,
    incomplete_details: end.incomplete === undefined ? null : { reason: end.incomplete },
    instructions: body.instructions ?? null,
    store: end.store ?? body.store !== false,
    tools: body.tools ?? [],
    usage: end.usage ?? null,
  }
}

export function endOf(
  finish: string | null,
  calls: { any: boolean; cutOff: boolean },
): Pick<ResponseEnd, 'status' | 'incomplete'> {
  if (!endsEarly(finish, calls)) return { status: 'completed' }
  const incomplete = finish === 'length' ? 'max_output_tokens' : 'content_filter'
  return { status: 'incomplete', incomplete }
}

export function usageOf(usage: Usage): Fields {
  const [input, output] = [usage.promptTokens ?? 0, usage.completionTokens ?? 0]
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cachedTokens ?? 0,
      cache_write_tokens: usage.cacheWriteTokens ?? 0,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: input + output,
  }
}

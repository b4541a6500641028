import type { Clock } from '../../../lib/clock.ts'
import { isFields, type Fields } from '../../../lib/json.ts'
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
  /** Whether later requests can continue it, if all goes well. */
  stores: boolean
}

export type ResponseEnd = {
  status: 'queued' | 'in_progress' | 'completed' | 'incomplete' | 'failed'
  output: Fields[]
  incomplete?: string | undefined
  error?: { code: string; message: string } | undefined
  usage?: Fields | undefined
  /** Unix seconds. */
  endedAt?: number | undefined
  /** Whether later requests can continue it, once that is known. */
  store?: boolean | undefined
}

/** What is known only after the last word. */
export type ResponseTotals = Required<Pick<ResponseEnd, 'usage' | 'endedAt'>>

export function responseOf(head: ResponseStart, end: ResponseEnd): Fields {
  return { ...lastingFields(head), ...changingFields(head, end), output: end.output }
}

/** The fields that stay the same in all events of a stream. Clients want each, also where we have none. */
export function lastingFields({ seed, createdAt, model, body }: ResponseStart): Fields {
  return {
    id: `resp_${seed}`,
    object: 'response',
    created_at: createdAt,
    access_programs: null,
    background: body.background === true,
    conversation: null,
    frequency_penalty: 0,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    metadata: body.metadata ?? {},
    model,
    moderation: null,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    presence_penalty: 0,
    prompt: null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: 'default',
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, verbosity: 'medium', ...body.text },
    tool_choice: body.tool_choice ?? 'auto',
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
    user: null,
  }
}

export function changingFields(
  { body, stores }: ResponseStart,
  end: Omit<ResponseEnd, 'output'>,
): Fields {
  return {
    status: end.status,
    completed_at: (end.status === 'completed' && end.endedAt) || null,
    error: end.error ?? null,
    incomplete_details: end.incomplete === undefined ? null : { reason: end.incomplete },
    instructions: body.instructions ?? null,
    store: end.store ?? stores,
    tools: (body.tools ?? []).map(shownTool),
    usage: end.usage ?? null,
  }
}

function shownTool(tool: unknown): unknown {
  if (!isFields(tool) || tool.type !== 'function') return tool
  return { description: null, parameters: null, strict: null, ...tool }
}

export function endOf(
  finish: string | null,
  calls: { any: boolean; cutOff: boolean },
): Pick<ResponseEnd, 'status' | 'incomplete'> {
  if (!endsEarly(finish, calls)) return { status: 'completed' }
  const incomplete = finish === 'length' ? 'max_output_tokens' : 'content_filter'
  return { status: 'incomplete', incomplete }
}

export function unixSeconds(clock: Clock): number {
  return unixSecondsOf(clock.now())
}

export function unixSecondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1_000)
}

export function totalsOf(clock: Clock, usage: Usage): ResponseTotals {
  return { usage: usageOf(usage), endedAt: unixSeconds(clock) }
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

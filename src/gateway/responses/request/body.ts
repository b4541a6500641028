/** The fields that are read here. All others are dropped. */
export type ResponsesBody = {
  model: string
  models?: string[] | null | undefined
  input?: string | unknown[] | null | undefined
  instructions?: string | null | undefined
  max_output_tokens?: number | null | undefined
  temperature?: number | null | undefined
  top_p?: number | null | undefined
  top_logprobs?: number | null | undefined
  parallel_tool_calls?: boolean | null | undefined
  tools?: unknown[] | null | undefined
  tool_choice?: unknown
  text?: Record<string, unknown> | null | undefined
  reasoning?: Record<string, unknown> | null | undefined
  include?: string[] | null | undefined
  max_tool_calls?: number | null | undefined
  safety_identifier?: string | null | undefined
  metadata?: Record<string, unknown> | null | undefined
  prompt_cache_key?: string | null | undefined
  session_id?: string | null | undefined
  store?: boolean | null | undefined
  previous_response_id?: string | null | undefined
  stream?: boolean | null | undefined
  background?: boolean | null | undefined
  conversation?: unknown
  prompt?: unknown
}

import type { Passing } from './passing.ts'

/**
 * Fields that are known, and pass to no upstream although its catalog may list them. This table
 * keeps nothing out that another lets in: it says why they are in none, names them in the metrics,
 * and no catalog adds them.
 */
const LEFT_OUT = {
  'another price': 'service_tier speed inference_geo priority reasoning_mode',
  'work beyond the answer': 'best_of use_beam_search num_inference_steps compaction moderation',
  'searches and tools that an upstream runs':
    'web_search web_search_options search_parameters enable_search search_options plugins tools_config mcp_servers container max_tool_calls stop_server_tools_when citation_options',
  'other models, or who answers': 'models route provider transforms fallbacks preset connectors',
  'a longer life in the cache': 'prompt_cache_retention prompt_cache_options cached_content',
  'kept in the account':
    'store metadata background conversation prompt previous_response_id thread',
  'whose account it is':
    'safety_identifier user_profile_id workspace_id billing_policy fallback_credit_token access_programs',
  'what the operator sees': 'debug trace diagnostics callback_url webhook usage client_metadata',
  'code of the caller': 'chat_template logits_processors extra_body extra_headers extra_query',
  'what the model reads': 'mm_processor_kwargs truncation context_management documents',
} as const

const NAMES: ReadonlySet<string> = new Set(
  Object.values(LEFT_OUT).flatMap((names) => names.split(' ')),
)

export function isLeftOut(name: string): boolean {
  return NAMES.has(name)
}

export const BETA_HEADER = 'anthropic-beta'

/** Of what was left out: the field where it is one that we know, so that the series are bounded. */
export function metricName(
  leftOut: string,
  { fields }: Pick<Passing, 'fields'> = { fields: {} },
): string {
  const [name = ''] = leftOut.split(/[.[=]/, 1)
  return NAMES.has(name) || Object.hasOwn(fields, name) || name === BETA_HEADER ? name : 'other'
}

import { type Fields, isFields } from '../../lib/fields.ts'

/**
 * Fields with which a caller would steer our account at the upstream: another model or tier than
 * the one reserved for, fees outside the token prices, logs and stores that are not the caller's.
 */
const STEERING = new Set([
  'models',
  'route',
  'provider',
  'plugins',
  'transforms',
  'callback_url',
  'usage',
  'service_tier',
  'user',
  'safety_identifier',
  'web_search_options',
  'stop_server_tools_when',
  'stream_options',
  'stream',
  'debug',
  'trace',
  'session_id',
  'metadata',
  'store',
])

export function withoutSteering(body: Fields): Fields {
  const kept: Fields = {}
  for (const name in body) if (!STEERING.has(name)) kept[name] = body[name]
  if (Array.isArray(kept.tools)) keepOwnTools(kept, kept.tools)
  return kept
}

/** Tools that the upstream itself would run cost money per use; only the caller's own stay. */
function keepOwnTools(body: Fields, tools: unknown[]): void {
  const own = tools.filter(
    (tool) => isFields(tool) && (tool.type === 'function' || tool.type === 'custom'),
  )
  if (own.length === tools.length) return
  if (own.length > 0) body.tools = own
  else {
    delete body.tools
    delete body.tool_choice
    delete body.parallel_tool_calls
  }
}

import type { Fields } from '../../lib/json.ts'
import type { Usage } from '../../upstream/contract/usage.ts'

type MessageCounts = {
  input_tokens: number
  output_tokens: number
  cache_creation_input_tokens: number
  cache_read_input_tokens: number
  cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number } | null
  output_tokens_details?: { thinking_tokens: number } | null
}

/** Clients want every member, also where nothing was `told`. */
export function messageUsage(usage: Usage, told: Fields = {}): Fields & MessageCounts {
  return { ...UNTOLD_USAGE, ...told, ...messageCounts(usage) }
}

/** The same at the end of a stream, where clients know fewer members. */
export function endingUsage(usage: Usage, told: Fields = {}): Fields & MessageCounts {
  return { ...UNTOLD_AT_END, ...told, ...messageCounts(usage) }
}

const UNTOLD_AT_END = { iterations: null, output_tokens_details: null, server_tool_use: null }

export const UNTOLD_USAGE = {
  ...UNTOLD_AT_END,
  cache_creation: null,
  inference_geo: null,
  service_tier: null,
  speed: null,
}

/** `input_tokens` leaves out cached tokens, since clients add the three up. */
function messageCounts(usage: Usage): MessageCounts {
  const read = usage.cachedTokens ?? 0
  const written = usage.cacheWriteTokens ?? 0
  const hour = usage.cacheWrite1hTokens
  const shown: MessageCounts = {
    input_tokens: Math.max(0, (usage.promptTokens ?? 0) - read - written),
    output_tokens: usage.completionTokens ?? 0,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
  }
  if (hour !== undefined) {
    shown.cache_creation = {
      ephemeral_5m_input_tokens: Math.max(0, written - hour),
      ephemeral_1h_input_tokens: hour,
    }
  }
  if (usage.reasoningTokens) {
    shown.output_tokens_details = { thinking_tokens: usage.reasoningTokens }
  }
  return shown
}

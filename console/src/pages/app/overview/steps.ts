import { useAsk } from '../../../client/use-ask.ts'
import { LAST_CALLS } from './last-calls.tsx'

/** Which of the first steps are done. Looked at again while one is missing. */
export function useSteps() {
  const keys = useAsk('GET /v1/api-keys', { query: { limit: 1, include_revoked: 'true' } })
  const paid = useAsk('GET /v1/payments', { query: { limit: 1, status: 'completed' } })
  const calls = useAsk('GET /v1/activity', LAST_CALLS)
  const used = keys.data?.data.some((key) => key.last_used_at !== undefined) ?? false
  const recent = useAsk(
    'GET /v1/api-keys',
    { query: { limit: 100 } },
    { refetchInterval: used ? false : 5_000 },
  )
  if (!keys.data || !paid.data || !calls.data || !recent.data) return undefined
  return {
    key: keys.data.data.length > 0,
    topUp: paid.data.data.length > 0,
    anyCall: calls.data.data.length > 0,
    call:
      used ||
      recent.data.data.some((key) => key.last_used_at !== undefined) ||
      calls.data.data.some((call) => call.key_id !== undefined),
  }
}

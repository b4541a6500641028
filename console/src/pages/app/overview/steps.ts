import { useAsk } from '../../../client/use-ask.ts'
import { LAST_CALLS } from './last-calls.tsx'

/** Which of the first steps are done. Polled while one is missing. */
export function useSteps() {
  const keys = useAsk('GET /v1/api-keys', { query: { limit: 1, include_revoked: 'true' } })
  const paid = useAsk('GET /v1/payments', { query: { limit: 1, status: 'completed' } })
  const calls = useAsk('GET /v1/activity', LAST_CALLS)
  const anyCall = (calls.data?.data.length ?? 0) > 0
  // Testing a new key counts as use, but not yet as a call.
  const used = keys.data?.data.some((key) => key.last_used_at !== undefined) ?? false
  const call = calls.data?.data.some(({ key_id }) => key_id !== undefined) || (used && anyCall)
  useAsk('GET /v1/activity', LAST_CALLS, { refetchInterval: call ? false : 5_000 })
  if (!keys.data || !paid.data || !calls.data) return undefined
  return { key: keys.data.data.length > 0, topUp: paid.data.data.length > 0, anyCall, call }
}

import type { Answer } from '../../client/ask.ts'
import { useAsk } from '../../client/use-ask.ts'

type Days = Answer<'GET /v1/activity/daily'>['data']['days']

/** Credits a day over the last 14 days, from the first of them on which anything was used. */
export function paceOf(days: Days): number {
  const first = days.findIndex((day) => day.cost_credits > 0)
  if (first === -1) return 0
  const used = days.slice(first)
  return used.reduce((sum, day) => sum + day.cost_credits, 0) / used.length
}

/** 14 days by model: the same query as the overview's chart, so it is sent once. */
export const useFortnight = () => useAsk('GET /v1/activity/daily', { query: { group: 'model' } })

export const usePace = () => paceOf(useFortnight().data?.data.days ?? [])

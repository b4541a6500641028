import { useAsk } from '../client/use-ask.ts'

/** Public settings of the service: top-up limits, the exchange rate, ways to sign in. */
export const useFacts = () => useAsk('GET /v1/console', {}, { staleTime: 60_000 })

/** Credits in shillings, at the rate of a top-up; undefined until it is known. */
export function useTzsOf(): (credits: number) => number | undefined {
  const rate = Number(useFacts().data?.data.topup.credits_per_tzs)
  return (credits) => (rate > 0 ? credits / rate : undefined)
}

import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'

type Network = Answer<'GET /v1/console'>['data']['networks'][number]
export type Payment = Answer<'GET /v1/payments/{id}'>['data']

/** Limits, networks and whether the money is play money: the same for everybody. */
export const useConsoleFacts = () => useAsk('GET /v1/console', {}, { staleTime: 300_000 })

/** By how the number begins, which is a guess: numbers can change networks. */
export function networkOfNumber(
  networks: readonly Network[],
  phone: string | undefined,
): Network | undefined {
  const local = phone?.replace(/^\+255/, '0') ?? ''
  return networks.find(({ prefixes }) => prefixes.some((prefix) => local.startsWith(prefix)))
}

/** What the provider has said, else the guess. */
export function networkOfPayment(
  networks: readonly Network[],
  { network, phone_number }: Pick<Payment, 'network' | 'phone_number'>,
): Network | undefined {
  const named = networks.find(({ id, name }) =>
    [id, name.toLowerCase()].includes(network?.toLowerCase() ?? ''),
  )
  return named ?? networkOfNumber(networks, phone_number)
}

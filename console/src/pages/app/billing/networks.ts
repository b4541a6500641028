import { useFacts } from '../../../catalog/rate.ts'
import type { Answer } from '../../../client/ask.ts'
import { useSession } from '../../../client/session.ts'

type Network = Answer<'GET /v1/console'>['data']['networks'][number]
export type Payment = Answer<'GET /v1/payments/{id}'>['data']

/** A guess by the number's prefix: numbers can move between networks. */
export function networkOfNumber(
  networks: readonly Network[],
  phone: string | undefined,
): Network | undefined {
  const local = phone?.replace(/^\+255/, '0') ?? ''
  return networks.find(({ prefixes }) => prefixes.some((prefix) => local.startsWith(prefix)))
}

/** The network that the provider named, else a guess by the account's number, if that is the one that pays. */
export function useNetworkOf({ network, phone_number }: Payment): Network | undefined {
  const networks = useFacts().data?.data.networks ?? []
  const own = useSession().user?.phone_number
  const named = networks.find(({ id, name }) =>
    [id, name.toLowerCase()].includes(network?.toLowerCase() ?? ''),
  )
  // The payment has only the last digits of the number.
  const isOwn = own?.slice(-3) === phone_number.slice(-3)
  return named ?? (isOwn ? networkOfNumber(networks, own) : undefined)
}

import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { inNetworks } from '../lib/network.ts'
import { isPrivateAddress, whyNotPublic } from '../lib/public-url.ts'

/** Where we may connect to: public addresses, and the networks in WEBHOOK_ALLOW_NETWORKS. */
export type Reach = {
  /** Why an endpoint may not have this URL. Names are looked up at each delivery. */
  whyNot(url: string): string | undefined
  /** Whether this very address may be connected to, over TLS or without. */
  allows(address: string, protocol: string): boolean
}

export function reachOf(ownNetworks: string[] | undefined): Reach {
  const own = inNetworks(ownNetworks ?? [])
  const allows = (address: string, protocol: string) =>
    own(address) || (protocol === 'https:' && !isPrivateAddress(address))
  return {
    allows,
    whyNot(text) {
      if (ownNetworks === undefined || !URL.canParse(text)) return whyNotPublic(text)
      const url = new URL(text)
      // A name may resolve to an allowed network: that is checked when it is looked up.
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL'
      if (url.username !== '' || url.password !== '') return whyNotPublic(text)
      const host = bareHost(url)
      const refused = isIP(host) !== 0 && !allows(host, url.protocol)
      return refused ? 'must name a public host, or one of WEBHOOK_ALLOW_NETWORKS' : undefined
    },
  }
}

export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

export class AddressRefused extends Error {
  readonly code = 'address_not_allowed'
}

/**
 * Looks a name up and gives only addresses that may be connected to. The connection is made to what
 * this gives, so that a name cannot mean something else a moment later.
 */
export function guardedLookup(reach: Reach, protocol: string): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      const good = addresses.filter(({ address }) => reach.allows(address, protocol))
      const [first] = good
      if (first === undefined) return done(new AddressRefused(), [])
      if (options.all) return done(null, good)
      done(null, first.address, first.family)
    })
  }
}

import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { inNetworks } from '../lib/network.ts'
import { isPublicAddress, whyNotPublic } from '../lib/public-url.ts'

/** Where we may connect to: public addresses on the usual ports, and what the settings add. */
export type Reach = {
  /** Why an endpoint may not have this URL. Names are looked up at each delivery. */
  whyNot(url: string): string | undefined
  /** Whether this very address may be connected to, over TLS or without. */
  allows(address: string, protocol: string): boolean
  allowsPort(url: URL): boolean
}

type ReachSettings = {
  WEBHOOK_ALLOW_NETWORKS?: string[] | undefined
  WEBHOOK_ALLOW_PORTS?: number[] | undefined
}

export function reachOf(settings: ReachSettings): Reach {
  const { WEBHOOK_ALLOW_NETWORKS: ownNetworks, WEBHOOK_ALLOW_PORTS: ports = [] } = settings
  const own = inNetworks(ownNetworks ?? [])
  const allows = (address: string, protocol: string) =>
    own(address) || (protocol === 'https:' && isPublicAddress(address))
  // The URL parser leaves out 443 of https and 80 of http.
  const allowsPort = ({ port }: URL) => port === '' || ports.includes(Number(port))
  const whyNot = (url: URL) => {
    // A name may resolve to an allowed network: that is checked when it is looked up.
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must be an https URL'
    if (url.username !== '' || url.password !== '') return whyNotPublic(url.href)
    const host = bareHost(url)
    const refused = isIP(host) !== 0 && !allows(host, url.protocol)
    return refused ? 'must name a public host, or one of WEBHOOK_ALLOW_NETWORKS' : undefined
  }
  return {
    allows,
    allowsPort,
    whyNot(text) {
      if (!URL.canParse(text)) return whyNotPublic(text)
      const url = new URL(text)
      const why = ownNetworks === undefined ? whyNotPublic(text) : whyNot(url)
      if (why !== undefined || allowsPort(url)) return why
      return 'must be on port 443, or 80 without TLS, or on one of WEBHOOK_ALLOW_PORTS'
    },
  }
}

export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

export class AddressRefused extends Error {
  readonly code: string
  constructor(code = 'address_not_allowed') {
    super(code)
    this.code = code
  }
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

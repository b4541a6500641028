import { BlockList, isIP } from 'node:net'

/**
 * Says why a URL must not be handed to an upstream, or undefined when it may. We never fetch it
 * ourselves; this keeps a caller from aiming an upstream at its own private network through us.
 */
export function whyNotPublic(text: string): string | undefined {
  if (!URL.canParse(text)) return 'is not a valid URL'
  const url = new URL(text)
  if (url.protocol !== 'https:') return 'must be an https URL'
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password'
  // The URL parser has turned 0x7f.1, 2130706433 and their like into plain dotted form by now.
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const isPublic = isIP(host) === 0 ? !privateName(host) : isPublicAddress(host)
  return isPublic ? undefined : 'must name a public host'
}

/**
 * Whether an address is one of the public Internet: unicast, allocated for it, and in none of IANA's
 * special-purpose registries. IPv6 addresses that stand for IPv4 ones are not, whatever is in them.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !SPECIAL_V4.check(address)
  return family === 6 && GLOBAL_V6.check(address, 'ipv6') && !SPECIAL_V6.check(address, 'ipv6')
}

function privateName(host: string): boolean {
  return !host.includes('.') || /(^|\.)(localhost|local|internal|home\.arpa)$/i.test(host)
}

/** Lists by family: in one, every IPv4 address would be found as the IPv6 one that it can be written as. */
const SPECIAL_V4 = listOf('ipv4', {
  '0.0.0.0': 8, // this network
  '10.0.0.0': 8, // private
  '100.64.0.0': 10, // shared by customers of a carrier
  '127.0.0.0': 8, // loopback
  '169.254.0.0': 16, // link-local, and the metadata of clouds
  '172.16.0.0': 12, // private
  '192.0.0.0': 24, // protocol assignments
  '192.0.2.0': 24, // documentation
  '192.31.196.0': 24, // AS112
  '192.52.193.0': 24, // AMT
  '192.88.99.0': 24, // relays of 6to4
  '192.168.0.0': 16, // private
  '192.175.48.0': 24, // AS112
  '198.18.0.0': 15, // benchmarks
  '198.51.100.0': 24, // documentation
  '203.0.113.0': 24, // documentation
  '224.0.0.0': 4, // multicast
  '240.0.0.0': 4, // reserved, and broadcast
})

/** All that IANA has allocated for unicast: no mapped, translated, local or multicast address. */
const GLOBAL_V6 = listOf('ipv6', { '2000::': 3 })
const SPECIAL_V6 = listOf('ipv6', {
  '2001::': 23, // protocol assignments, Teredo among them
  '2001:db8::': 32, // documentation
  '2002::': 16, // 6to4
  '2620:4f:8000::': 48, // AS112
  '3fff::': 20, // documentation
})

function listOf(family: 'ipv4' | 'ipv6', networks: Record<string, number>): BlockList {
  const list = new BlockList()
  for (const [network, bits] of Object.entries(networks)) list.addSubnet(network, bits, family)
  return list
}

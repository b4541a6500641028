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
  const isPrivate = isIP(host) === 0 ? privateName(host) : isPrivateAddress(host)
  return isPrivate ? 'must name a public host' : undefined
}

/** Also for what is no address at all. */
export function isPrivateAddress(address: string): boolean {
  const plain = address.split('%')[0]!
  const family = isIP(plain)
  if (family === 0) return true
  return family === 6 ? PRIVATE_V6.check(plain, 'ipv6') : PRIVATE_V4.check(plain)
}

function privateName(host: string): boolean {
  return !host.includes('.') || /(^|\.)(localhost|local|internal|home\.arpa)$/i.test(host)
}

/** Two lists: in one, every IPv4 address would be found as the IPv6 one that it can be written as. */
const PRIVATE_V4 = new BlockList()
const PRIVATE_V6 = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  PRIVATE_V4.addSubnet(net, bits, 'ipv4')
}
for (const [net, bits] of [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  PRIVATE_V6.addSubnet(net, bits, 'ipv6')
}

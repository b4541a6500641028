import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/**
 * The network that an address belongs to, by this many bits of it. An IPv4-mapped IPv6 address is
 * read as IPv4; text that is no address is its own network.
 */
export function networkOf(address: string, bits: { v4: number; v6: number }): string {
  const plain = address.split('%')[0]!
  const v4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1] ?? plain
  if (isIPv4(v4)) return prefix(v4.split('.').map(Number), 8, bits.v4)
  return isIPv6(plain) ? prefix(groupsOf(plain), 16, bits.v6) : plain
}

/** The network of an address as its owner may see it: `196.41.12.x`. Undefined for what is no address. */
export function shownNetwork(address: string): string | undefined {
  const plain = address.split('%')[0]!
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+)\.\d+$/i.exec(plain)?.[1]
  if (v4 !== undefined) return isIPv4(`${v4}.0`) ? `${v4}.x` : undefined
  if (!isIPv6(plain)) return undefined
  const groups = groupsOf(plain).slice(0, 3)
  return `${groups.map((group) => group.toString(16)).join(':')}:x`
}

function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const read = (part: string) => (part === '' ? [] : part.split(':').flatMap(groupOf))
  const [before, after] = [read(head), read(tail ?? '')]
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array.from({ length: zeros }, () => 0), ...after]
}

/** The last 32 bits may be written as IPv4. */
function groupOf(part: string): number[] {
  if (!part.includes('.')) return [Number.parseInt(part, 16)]
  const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
  return [a * 256 + b, c * 256 + d]
}

function prefix(groups: number[], width: number, bits: number): string {
  const masked = groups.map((group, nth) => {
    const rest = Math.min(width, Math.max(0, bits - nth * width))
    return rest === width ? group : group & ~((1 << (width - rest)) - 1)
  })
  return `${masked.map((group) => group.toString(16)).join(':')}/${bits}`
}

/** `10.0.0.0/8`, `2001:db8::/32`, or one address. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  if (isIP(address) === 0 || more.length > 0) return false
  if (bits === undefined) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (isIPv4(address) ? 32 : 128)
}

/** Whether an address is in one of them. What is no address is in none. */
export function inNetworks(networks: string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    list.addSubnet(address, Number(bits ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return (address) => {
    const plain = address.split('%')[0]!
    return isIP(plain) !== 0 && list.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')
  }
}

import { isIP } from 'node:net'
import { inNetworks } from './network.ts'

/**
 * Whether keys, codes and prompts may be sent to this address of a party of ours: over TLS, within
 * this machine, or to one of the hosts and networks that the operator trusts without TLS.
 */
export function isTrustedAddress(address: string, plainHosts: readonly string[] = []): boolean {
  const { protocol, hostname } = new URL(address)
  if (TLS.has(protocol)) return true
  if (!PLAIN.has(protocol)) return false
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (LOOPBACK.has(host) || plainHosts.includes(host)) return true
  return inNetworks(plainHosts.filter((one) => isIP(one.split('/')[0]!) !== 0))(host)
}

const TLS = new Set(['https:', 'smtps:'])
const PLAIN = new Set(['http:', 'smtp:'])
const LOOPBACK = new Set(['localhost', '127.0.0.1', '::1'])

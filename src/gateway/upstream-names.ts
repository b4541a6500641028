import { LRUCache } from 'lru-cache'
import { hmacSha256 } from '../lib/secrets.ts'

const MOST_KEPT = 50_000

/** Opaque names of accounts, the same every time. Dearer to make than to keep. */
export function upstreamNames(key: Buffer): (accountId: string) => string {
  const kept = new LRUCache<string, string>({ max: MOST_KEPT })
  return (accountId) => {
    const known = kept.get(accountId)
    if (known !== undefined) return known
    const name = hmacSha256(key, accountId).toString('hex').slice(0, 32)
    kept.set(accountId, name)
    return name
  }
}

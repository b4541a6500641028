import { LRUCache } from 'lru-cache'
import { fieldsOf, textOf, type Fields } from '../../lib/json.ts'

/**
 * A tool call must come back with its signature. Many callers drop it, so it is also remembered
 * here for a while; the next request may reach another process, so this is only a help.
 */
export type Signatures = {
  remember(callId: string, signature: string): void
  of(call: { id: string; raw: Fields }): string | undefined
}

const KEPT = 10_000
const KEPT_MS = 60 * 60 * 1000
const LONGEST = 64 * 1024

export function createSignatures(): Signatures {
  const kept = new LRUCache<string, string>({ max: KEPT, ttl: KEPT_MS })
  return {
    remember: (callId, signature) => {
      if (signature.length <= LONGEST) kept.set(callId, signature)
    },
    of: ({ id, raw }) => {
      const google = fieldsOf(fieldsOf(raw.extra_content).google)
      return textOf(google.thought_signature) ?? kept.get(id)
    },
  }
}

/** The field that other compatible endpoints of this provider use. */
export function signatureFields(signature: string): Fields {
  return { extra_content: { google: { thought_signature: signature } } }
}

import { Fault, StatusFault } from './fault.ts'
import type { HttpCall, Provider } from './contract.ts'
import type { AccountWhy, RejectedWhy, Trouble } from './fault.ts'

/** What a fault means, by the provider's own reading of its error bodies. */
export function troubleOf(error: unknown, provider: Provider, call: HttpCall): Trouble {
  if (error instanceof StatusFault) {
    if (call.gone?.includes(error.status)) return { kind: 'rejected', why: 'gone' }
    return provider.failure(error)
  }
  if (!(error instanceof Fault)) throw error
  if (error.kind === 'aborted') return { kind: 'aborted' }
  if (error.kind === 'too_large' && call.overflow === 'caller') return { kind: 'oversized' }
  return { kind: 'failed' }
}

/** What the words of an error body say beyond its status. */
export type Hint = { rejected: RejectedWhy } | { account: AccountWhy } | 'overloaded' | undefined

export function troubleByStatus(
  status: number,
  hint: Hint,
  retryAfterS: number | undefined,
): Trouble {
  if (hint === 'overloaded') return { kind: 'overloaded', retryAfterS }
  if (hint && 'account' in hint) return { kind: 'account', why: hint.account }
  if (hint && status < 500) return { kind: 'rejected', why: hint.rejected }
  if (status === 429) return { kind: 'rate_limited', retryAfterS }
  if (status === 503 || status === 529) return { kind: 'overloaded', retryAfterS }
  return BY_STATUS[status] ?? (isRefusal(status) ? REQUEST : { kind: 'failed' })
}

const REQUEST: Trouble = { kind: 'rejected', why: 'request' }
const BY_STATUS: Record<number, Trouble> = {
  401: { kind: 'account', why: 'key_refused' },
  402: { kind: 'account', why: 'out_of_money' },
  403: { kind: 'account', why: 'forbidden' },
  404: { kind: 'missing' },
  408: { kind: 'failed' },
  409: { kind: 'failed' },
  410: { kind: 'missing' },
  413: { kind: 'rejected', why: 'payload' },
  425: { kind: 'failed' },
}

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500
}

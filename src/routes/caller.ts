import { Failure } from '../lib/failure.ts'
import type { Principal } from '../lib/principal.ts'

/** The session of a route with credential `jwt`, as the hallway has let it in. */
export function sessionOf(call: { principal: Principal | undefined }): {
  accountId: string
  sessionId: string
} {
  if (call.principal?.kind !== 'jwt') throw new Failure('forbidden', 'This needs an access token.')
  return call.principal
}

/** Where a sign-in comes from. */
export function deviceOf(call: {
  address: string
  headers: Record<string, string | string[] | undefined>
}): { address: string; userAgent: string } {
  return {
    address: call.address,
    userAgent: String(call.headers['user-agent'] ?? '').slice(0, 300),
  }
}

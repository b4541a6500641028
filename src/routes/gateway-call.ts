import type { GatewayCall } from '../gateway/gateway.ts'
import { renderFailure } from '../http/dialect.ts'
import type { Call } from '../http/route.ts'
import { asFailure } from '../http/translate.ts'

/** The part of a request that the gateway room knows. Every paid route needs a credential. */
export function gatewayCall(call: Call<unknown, unknown, unknown>): GatewayCall {
  const { requestId, claim } = call
  return {
    principal: call.principal!,
    requestId,
    signal: call.signal,
    claim,
    renderError: (error) => renderFailure(asFailure(error), 'compatible', requestId).body,
  }
}

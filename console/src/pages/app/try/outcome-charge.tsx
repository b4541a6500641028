import { ChargeLine, ChargeReader, type Charge } from './charge-line.tsx'
import type { Outcome } from './use-order.ts'

type Props = { outcome: Outcome<unknown>; onKnown(charge: Charge): void }

export function OutcomeCharge({ outcome: { charge, requestId }, onKnown }: Props) {
  if (charge !== undefined) return <ChargeLine charge={charge} />
  return requestId === '' ? null : (
    <ChargeReader key={requestId} requestId={requestId} onKnown={onKnown} />
  )
}

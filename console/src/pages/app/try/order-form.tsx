import type { ReactNode } from 'react'
import { Button } from '../../../parts/button.tsx'
import { CallFailure } from './call-failure.tsx'
import { EstimateLine } from './estimate-line.tsx'

type Props = {
  order: { busy: boolean; error: unknown }
  /** Credits that it will probably cost, if that is known. */
  estimate: number | undefined
  button: string
  disabled: boolean
  /** The same order again is answered with the work already paid for. */
  repeatable?: boolean
  onRun(): void
  children: ReactNode
}

/** What is ordered, what it will cost, the button, and why it failed. */
export function OrderForm(props: Props) {
  const { order, estimate, button, disabled, repeatable = true, onRun, children } = props
  return (
    <>
      <div className="card flex flex-col gap-3 p-4">
        {children}
        <div className="flex flex-wrap items-center justify-between gap-2">
          <EstimateLine credits={estimate} />
          <Button onClick={onRun} disabled={disabled} busy={order.busy}>
            {button}
          </Button>
        </div>
      </div>
      <CallFailure
        error={order.error}
        estimate={estimate}
        repeatable={repeatable}
        onRetry={onRun}
      />
    </>
  )
}

import { useEffect, useRef, useState } from 'react'
import { AskFailure } from '../../../client/failure.ts'
import { useRemembered, useStored } from '../../../client/device-storage.ts'
import type { Charge } from './charge-line.tsx'

/** For the sender: the signal aborts when the page is left; a repetition has the same key. */
export type Attempt = { signal: AbortSignal; idempotencyKey: string }

export type Outcome<Result> = { result: Result; requestId: string; charge?: Charge }

/**
 * One paid call with one answer. Its key stays the same until an answer comes, so that trying again
 * after a broken connection is answered with the work already paid for.
 */
export function useOrder<Result>(name: string) {
  const [outcome, setOutcome] = useRemembered<Outcome<Result> | undefined>(
    `outcome ${name}`,
    undefined,
  )
  const [open, setOpen] = useStored(`order ${name}`, { about: '', key: '' })
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const leaving = useRef<AbortController>(undefined)
  useEffect(() => () => leaving.current?.abort(), [])

  /** `about` identifies the order: another order gets another key. */
  const run = async (
    about: unknown,
    send: (attempt: Attempt) => Promise<Response>,
    read: (response: Response) => Promise<Result>,
  ): Promise<void> => {
    const text = JSON.stringify(about)
    const key = open.about === text ? open.key : crypto.randomUUID()
    setOpen({ about: text, key })
    setBusy(true)
    setError(undefined)
    const controller = new AbortController()
    leaving.current = controller
    try {
      const response = await send({ signal: controller.signal, idempotencyKey: key })
      const result = await read(response)
      setOpen({ about: '', key: '' })
      setOutcome({ result, requestId: response.headers.get('x-request-id') ?? '' })
    } catch (failure) {
      if (controller.signal.aborted) return
      setError(failure ?? new Error('no answer'))
      // A refusal ends this order; no answer does not.
      if (failure instanceof AskFailure && failure.status !== 0) setOpen({ about: '', key: '' })
    } finally {
      setBusy(false)
    }
  }
  const noteCharge = (charge: Charge) => outcome && setOutcome({ ...outcome, charge })
  return { run, busy, error, outcome, noteCharge }
}

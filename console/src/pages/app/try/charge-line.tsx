import { useEffect, useRef, useState } from 'react'
import { useAsk, useAskAgain } from '../../../client/use-ask.ts'
import { ask } from '../../../client/ask.ts'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { tryWords } from './words.ts'

/** What a call has cost by the ledger, and the balance after it. */
export type Charge = { credits: number; left: number }

const LOOK_MS = 700
const MOST_LOOKS = 60

/** Polls the ledger until it has the call, then reports its charge once. */
export function ChargeReader({
  requestId,
  onKnown,
}: {
  requestId: string
  onKnown(charge: Charge): void
}) {
  const words = useWords(tryWords)
  const again = useAskAgain()
  const [looks, setLooks] = useState(0)
  const isReported = useRef(false)
  const found = useAsk(
    'GET /v1/activity',
    { query: { request_id: requestId } },
    { refetchInterval: looks < MOST_LOOKS ? LOOK_MS : false, staleTime: 0 },
  )
  const records = found.data?.data
  useEffect(() => {
    setLooks((count) => count + 1)
    if (records === undefined || records.length === 0 || isReported.current) return
    isReported.current = true
    const sum = records.reduce((total, record) => total + record.cost_credits, 0)
    const credits = Math.round(sum * 1e6) / 1e6
    void ask('GET /v1/billing/balance')
      .then(({ data }) => onKnown({ credits, left: data.available_credits }))
      .catch(() => (isReported.current = false))
    void again('GET /v1/billing/balance')
  }, [found.dataUpdatedAt])
  return (
    <p role="status" className="text-sm text-soft">
      {looks < MOST_LOOKS ? words.asking : words.chargeLater}
    </p>
  )
}

export function ChargeLine({ charge }: { charge: Charge }) {
  const words = useWords(tryWords)
  const { amount } = useFormats()
  return (
    <p className="figures text-sm text-soft" data-charge={charge.credits}>
      {charge.credits === 0
        ? words.notCharged
        : words.charged(amount(charge.credits), amount(charge.left))}
    </p>
  )
}

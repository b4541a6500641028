import type { Step } from '../../../parts/timeline.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import type { Payment } from './networks.ts'
import { paymentWords } from './payment-words.ts'

/** A payment as a timeline. */
export function usePaymentSteps(payment: Payment): Step[] {
  const words = useWords(paymentWords)
  const { fullMoment } = useFormats()
  const { status, created_at, asked_at, updated_at, completed_at } = payment
  const made: Step = {
    key: 'made',
    title: words.made,
    state: 'done',
    detail: fullMoment(created_at),
  }
  const asked: Step = asked_at
    ? { key: 'asked', title: words.asked, state: 'done', detail: fullMoment(asked_at) }
    : { key: 'asked', title: words.askedLater, state: status === 'pending' ? 'now' : 'failed' }
  if (status === 'pending') {
    return [
      made,
      asked,
      { key: 'pin', title: words.waiting, state: asked_at ? 'now' : 'later' },
      { key: 'end', title: words.endLater, state: 'later' },
    ]
  }
  const isPaid = status === 'completed'
  const end: Step = {
    key: 'end',
    title: words.ended[status],
    state: isPaid ? 'done' : 'failed',
    detail: fullMoment(completed_at ?? updated_at),
  }
  return asked_at || isPaid
    ? [made, asked_at ? asked : { ...asked, state: 'done' }, end]
    : [made, end]
}

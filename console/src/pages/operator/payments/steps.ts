import type { Step } from '../../../parts/timeline.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { wordFor } from '../word-for.ts'
import type { Payment } from './types.ts'
import { paymentsWords } from './words.ts'

/** A payment as a timeline, with its review. */
export function usePaymentSteps(payment: Payment): Step[] {
  const words = useWords(paymentsWords)
  const { fullMoment } = useFormats()
  const { status, asked_at: askedAt, review } = payment
  const steps: Step[] = [
    { key: 'made', title: words.made, state: 'done', detail: fullMoment(payment.created_at) },
    askedAt
      ? { key: 'asked', title: words.asked, state: 'done', detail: fullMoment(askedAt) }
      : { key: 'asked', title: words.notAsked, state: status === 'pending' ? 'now' : 'failed' },
  ]
  if (status === 'pending') {
    steps.push({ key: 'end', title: words.waiting, state: askedAt ? 'now' : 'later' })
  } else {
    steps.push({
      key: 'end',
      title: payment.late === true ? words.late : words.ended[status],
      state: status === 'completed' ? 'done' : 'failed',
      detail: fullMoment(payment.completed_at ?? payment.updated_at),
    })
  }
  if (review) {
    const isDone = review.done_by !== undefined
    steps.push({
      key: 'review',
      title: wordFor(words.reviews, review.reason),
      state: isDone ? 'done' : 'failed',
      detail: review.at && fullMoment(review.at),
    })
    if (isDone) {
      steps.push({ key: 'done', title: words.resolved(review.done_by!), state: 'done' })
    }
  }
  return steps
}

import { useQueryClient } from '@tanstack/react-query'
import { ask } from '../../../client/ask.ts'
import { Button } from '../../../parts/button.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { useWords } from '../../../words/language.tsx'
import type { Payment } from './networks.ts'
import { paymentWords } from './payment-words.ts'

/** Makes the service ask the mobile network now. Credits are added once, however often it is pressed. */
export function AlreadyPaid({ payment }: { payment: Payment }) {
  const words = useWords(paymentWords)
  const client = useQueryClient()
  const check = useForm({
    send: () => ask('POST /v1/payments/{id}/check', { path: { id: payment.id } }),
    renews: ['GET /v1/payments', 'GET /v1/billing/balance'],
    onDone: (answer) =>
      client.setQueryData(['GET /v1/payments/{id}', { id: payment.id }, undefined], answer),
  })
  const news = check.busy ? words.asking : check.isDone ? words.askedNoNews : ''
  return (
    <>
      <Button kind="plain" wide busy={check.busy} onClick={() => check.submit()}>
        {words.paid}
      </Button>
      <p role="status" className="text-center text-sm text-soft">
        {news}
      </p>
      <FailureNotice error={check.error} unsure={words.askedNoNews} />
    </>
  )
}

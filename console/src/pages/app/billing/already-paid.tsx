import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ask } from '../../../client/ask.ts'
import { useAskAgain } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { useWords } from '../../../words/language.tsx'
import type { Payment } from './networks.ts'
import { paymentWords } from './payment-words.ts'

/** Makes the service ask the mobile network now. However often: credits are added once. */
export function AlreadyPaid({ payment }: { payment: Payment }) {
  const words = useWords(paymentWords)
  const client = useQueryClient()
  const again = useAskAgain()
  const check = useMutation({
    mutationFn: () => ask('POST /v1/payments/{id}/check', { path: { id: payment.id } }),
    onSuccess: (answer) => {
      client.setQueryData(['GET /v1/payments/{id}', { id: payment.id }, undefined], answer)
      return again('GET /v1/payments', 'GET /v1/billing/balance')
    },
  })
  const news = check.isPending ? words.asking : check.isSuccess ? words.askedNoNews : ''
  return (
    <>
      <Button kind="plain" wide busy={check.isPending} onClick={() => check.mutate()}>
        {words.paid}
      </Button>
      <p role="status" className="text-center text-sm text-soft">
        {news}
      </p>
      <FailureNotice error={check.error} unsure={words.askedNoNews} />
    </>
  )
}

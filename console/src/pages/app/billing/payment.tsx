import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { announceMoneyChange } from '../../../client/money-changes.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { PageTitle, Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { Timeline } from '../../../parts/timeline.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { PaymentResult } from './payment-result.tsx'
import { PaymentDetails } from './payment-details.tsx'
import type { Payment } from './networks.ts'
import { usePaymentSteps } from './payment-steps.ts'
import { paymentWords } from './payment-words.ts'
import { useNow } from './use-now.ts'
import { PaymentWaiting } from './payment-waiting.tsx'
import { billingWords } from './words.ts'

/** One payment: live while it is waited for, then how it ended. */
export function PaymentPage({ id }: { id: string }) {
  const words = useWords(billingWords)
  const payment = usePayment(id)
  return (
    <>
      <Link href="/app/billing" className="link mb-2 inline-flex min-h-11 items-center">
        {words.back}
      </Link>
      <Loaded query={payment} shape={<Skeleton lines={3} tall />}>
        {({ data }) => <PaymentView payment={data} />}
      </Loaded>
    </>
  )
}

function PaymentView({ payment }: { payment: Payment }) {
  const words = useWords(paymentWords)
  const { tzs } = useFormats()
  const steps = usePaymentSteps(payment)
  return (
    <>
      <PageTitle title={words.title(tzs(payment.amount_tzs))} />
      <div className="grid items-start gap-6 lg:grid-cols-[1fr_20rem]">
        {payment.status === 'pending' ? (
          <PaymentWaiting payment={payment} />
        ) : (
          <PaymentResult payment={payment} />
        )}
        <div>
          <Section title={words.steps}>
            <div className="card p-4">
              <Timeline label={words.steps} steps={steps} />
            </div>
          </Section>
          <Section title={words.facts}>
            <PaymentDetails payment={payment} />
          </Section>
        </div>
      </div>
    </>
  )
}

/** Polled: at once when the page becomes visible, otherwise the more often the younger the payment is. */
function usePayment(id: string) {
  const client = useQueryClient()
  const now = useNow(1_000)
  const known = client.getQueryData<{ data: Payment }>([NAME, { id }, undefined])?.data
  const payment = useAsk(
    NAME,
    { path: { id } },
    { staleTime: 0, refetchInterval: known === undefined ? false : restMs(known, now) },
  )
  const status = payment.data?.data.status
  const before = useRef(status)
  useEffect(() => {
    if (before.current !== undefined && status !== before.current) announceMoneyChange(client)
    before.current = status
  }, [status])
  return payment
}

const NAME = 'GET /v1/payments/{id}'

function restMs({ status, created_at }: Payment, now: number): number | false {
  const ageS = (now - Date.parse(created_at)) / 1000
  // Money may arrive late.
  if (status === 'expired') return 15_000
  if (status !== 'pending') return false
  return ageS < 20 ? 2_000 : ageS < 120 ? 5_000 : 15_000
}

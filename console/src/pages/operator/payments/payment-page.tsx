import { BackLink } from '../../../parts/back-link.tsx'
import { useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Money } from '../../../parts/money.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { Timeline } from '../../../parts/timeline.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import type { Params } from '../../page.tsx'
import { DetailList } from '../detail-list.tsx'
import { useOperator } from '../operator.ts'
import { ReadsOnly } from '../reads-only.tsx'
import { useOperatorForm } from '../use-operator-form.ts'
import { wordFor } from '../word-for.ts'
import { operatorWords } from '../words.ts'
import { PAYMENT_TONES } from './payment-table.tsx'
import { ResolvePayment } from './resolve-payment.tsx'
import { usePaymentSteps } from './steps.ts'
import { PAYMENT_ROUTES, type Payment } from './types.ts'
import { paymentsWords } from './words.ts'

export default function Page({ params }: { params: Params }) {
  const words = useWords(paymentsWords)
  const payment = useAsk('GET /v1/operator/payments/{id}', { path: { id: params['id']! } })
  return (
    <>
      <BackLink to="/operator/payments">{words.back}</BackLink>
      {payment.data === undefined && <h1 className="sr-only">{words.title}</h1>}
      <Loaded query={payment} shape={<Skeleton lines={4} tall />}>
        {({ data }) => <PaymentView payment={data} />}
      </Loaded>
    </>
  )
}

function PaymentView({ payment }: { payment: Payment }) {
  const words = useWords(paymentsWords)
  const { tzs } = useFormats()
  const steps = usePaymentSteps(payment)
  return (
    <>
      <PageTitle
        title={words.one(tzs(payment.amount_tzs))}
        lead={<Badge tone={PAYMENT_TONES[payment.status]}>{words.states[payment.status]}</Badge>}
      />
      <ReadsOnly need="support" />
      <PaymentActions payment={payment} />
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="card p-5">
          <Timeline label={words.steps} steps={steps} />
        </div>
        <PaymentDetails payment={payment} />
      </div>
    </>
  )
}

function PaymentActions({ payment }: { payment: Payment }) {
  const words = useWords(paymentsWords)
  const { may } = useOperator()
  const [isResolving, setResolving] = useState(false)
  const [done, setDone] = useState<{ tone: 'good' | 'warning'; said: string }>()
  const check = useOperatorForm({
    send: () =>
      ask('POST /v1/operator/payments/{id}/check', { path: { id: payment.id }, body: {} }),
    renews: PAYMENT_ROUTES,
    onDone: ({ data }) =>
      setDone(
        isInReview(data)
          ? { tone: 'warning', said: words.checkedDoubt }
          : { tone: 'good', said: words.checked[data.status] },
      ),
  })
  if (!may('support')) return null
  return (
    <div className="mb-6 flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <Button icon="search" busy={check.busy} onClick={() => check.submit()}>
          {words.check}
        </Button>
        {isInReview(payment) && (
          <Button kind="plain" icon="check" onClick={() => setResolving(true)}>
            {words.resolve}
          </Button>
        )}
      </div>
      {done && <Notice tone={done.tone}>{done.said}</Notice>}
      <FailureNotice error={check.error} kinds={check.kinds} />
      {isResolving && (
        <ResolvePayment
          payment={payment}
          onDone={() => setDone({ tone: 'good', said: words.resolvedDone })}
          onClose={() => setResolving(false)}
        />
      )}
    </div>
  )
}

/** Somebody has to look at it, and nobody has yet. */
const isInReview = ({ review }: Pick<Payment, 'review'>) =>
  review !== undefined && review.done_by === undefined

function PaymentDetails({ payment }: { payment: Payment }) {
  const words = useWords(paymentsWords)
  const common = useWords(operatorWords)
  const { review } = payment
  return (
    <DetailList
      details={[
        [
          common.customer,
          <Link
            key="customer"
            href={`/operator/accounts/${payment.account_id}?tab=payments`}
            className="link inline-flex min-h-11 items-center"
          >
            {common.open}
          </Link>,
        ],
        [words.credits, <Money key="credits" credits={payment.credits} />],
        [words.phone, payment.phone_number],
        [words.network, payment.network],
        [words.provider, payment.provider],
        [words.reference, payment.reference],
        [words.providerReference, payment.provider_reference],
        [words.error, payment.error?.code],
        [words.reviewed, review && wordFor(words.reviews, review.reason)],
        [words.said, review?.said],
      ]}
    />
  )
}

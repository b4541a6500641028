import { useState } from 'react'
import { Link } from 'wouter'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { ButtonLink } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Money, Tzs } from '../../../parts/money.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Pager } from '../../../parts/pager.tsx'
import { PageTitle, Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { Table, type Column } from '../../../parts/table.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import type { Payment } from './networks.ts'
import { TONES } from './tones.ts'
import { TopUp } from './top-up.tsx'
import { billingWords } from './words.ts'

export function BillingHome() {
  const words = useWords(billingWords)
  return (
    <>
      <PageTitle title={words.title}>
        <ButtonLink to="/app/billing/statement" kind="plain" icon="file">
          {words.statement}
        </ButtonLink>
      </PageTitle>
      <WaitingPayments />
      <div className="mb-8 grid items-start gap-4 lg:grid-cols-[1fr_20rem]">
        <TopUp />
        <BalanceCard />
      </div>
      <PaymentList />
    </>
  )
}

function BalanceCard() {
  const words = useWords(billingWords)
  const { amount } = useFormats()
  const balance = useAsk('GET /v1/billing/balance')
  return (
    <div className="card p-5 max-lg:order-first">
      <p className="text-sm text-soft">{words.available}</p>
      <Loaded query={balance} shape={<Skeleton lines={1} />}>
        {({ data }) => (
          <>
            <p className="text-2xl font-semibold">
              <Money credits={data.available_credits} />
            </p>
            {data.reserved_credits > 0 && (
              <p className="mt-1 text-sm text-soft">
                {words.reserved(amount(data.reserved_credits))}
              </p>
            )}
          </>
        )}
      </Loaded>
    </div>
  )
}

/** The way back to a payment whose page was left. */
function WaitingPayments() {
  const words = useWords(billingWords)
  const { tzs } = useFormats()
  const waiting = useAsk(
    'GET /v1/payments',
    { query: { status: 'pending', limit: 3 } },
    { refetchInterval: 15_000 },
  )
  return waiting.data?.data.map((payment) => (
    <div key={payment.id} className="mb-4">
      <Notice tone="warning" title={words.waitingOne(tzs(payment.amount_tzs))}>
        <p>{words.waitingDo}</p>
        <Link
          href={`/app/billing/payments/${payment.id}`}
          className="link inline-flex min-h-11 items-center font-semibold"
        >
          {words.open}
        </Link>
      </Notice>
    </div>
  ))
}

function PaymentList() {
  const words = useWords(billingWords)
  const { moment } = useFormats()
  const [offset, setOffset] = useState(0)
  const payments = useAsk('GET /v1/payments', { query: { limit: 10, offset } })
  const columns: Column<Payment>[] = [
    {
      label: words.when,
      lead: true,
      show: ({ id, created_at }) => (
        <Link
          href={`/app/billing/payments/${id}`}
          className="link inline-flex min-h-11 items-center"
        >
          {moment(created_at)}
        </Link>
      ),
    },
    { label: words.number, show: (payment) => payment.phone_number },
    {
      label: words.state,
      show: ({ status }) => <Badge tone={TONES[status]}>{words.states[status]}</Badge>,
    },
    { label: words.amount, figure: true, show: (payment) => <Tzs amount={payment.amount_tzs} /> },
  ]
  return (
    <Section title={words.payments}>
      <Loaded
        query={payments}
        shape={<Skeleton lines={4} />}
        empty={
          <Empty icon="wallet" title={words.noPayments}>
            {words.noPaymentsWhy}
          </Empty>
        }
      >
        {({ data, pagination }) => (
          <>
            <Table
              caption={words.payments}
              columns={columns}
              rows={data}
              keyOf={(payment) => payment.id}
            />
            <Pager page={pagination} onOffset={setOffset} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

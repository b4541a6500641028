import { Link } from 'wouter'
import { useSession } from '../../../client/session.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Logo } from '../../../frame/logo.tsx'
import { Button } from '../../../parts/button.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { PaymentDetails } from './payment-details.tsx'
import type { Payment } from './networks.ts'
import { paymentWords } from './payment-words.ts'

/** One page to print or to save. */
export function Receipt({ id }: { id: string }) {
  const words = useWords(paymentWords)
  const payment = useAsk('GET /v1/payments/{id}', { path: { id } })
  return (
    <>
      <Link
        href={`/app/billing/payments/${id}`}
        className="link no-print mb-2 inline-flex min-h-11 items-center"
      >
        {words.backToPayment}
      </Link>
      <Loaded query={payment} shape={<Skeleton lines={3} tall />}>
        {({ data }) =>
          data.status === 'completed' ? (
            <ReceiptSheet payment={data} />
          ) : (
            <Notice tone="info">{words.noReceipt}</Notice>
          )
        }
      </Loaded>
    </>
  )
}

function ReceiptSheet({ payment }: { payment: Payment }) {
  const words = useWords(paymentWords)
  const { user } = useSession()
  const { tzs, amount } = useFormats()
  return (
    <div className="mx-auto flex max-w-lg flex-col gap-5">
      <div className="card flex flex-col gap-5 p-6">
        <div className="flex items-center justify-between">
          <Logo />
          <h1 className="text-xl">{words.receipt}</h1>
        </div>
        <div>
          <p className="figures text-3xl font-semibold">{tzs(payment.amount_tzs)}</p>
          <p className="text-soft">
            {words.received(tzs(payment.amount_tzs), amount(payment.credits))}
          </p>
        </div>
        {user && (
          <p>
            <span className="text-soft">{words.paidBy}: </span>
            <span className="font-medium break-words">{user.full_name}</span>
          </p>
        )}
        <PaymentDetails payment={payment} />
        <p className="text-sm">
          <strong>{words.notFiscal}</strong> {words.notFiscalMore}
        </p>
      </div>
      <div className="no-print">
        <Button icon="print" wide onClick={() => window.print()}>
          {words.print}
        </Button>
      </div>
    </div>
  )
}

import { ButtonLink } from '../../../parts/button.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { AlreadyPaid } from './already-paid.tsx'
import { networkOfPayment, useConsoleFacts, type Payment } from './networks.ts'
import { paymentWords } from './payment-words.ts'

/** By its code: what happened, whether money moved, what to do. */
export function Ended({ payment }: { payment: Payment }) {
  const words = useWords(paymentWords)
  const { tzs, amount } = useFormats()
  if (payment.status === 'completed') {
    return (
      <div className="flex flex-col gap-4">
        <Notice
          tone="good"
          title={words.received(tzs(payment.amount_tzs), amount(payment.credits))}
        >
          {payment.late && <p>{words.late}</p>}
        </Notice>
        <div className="flex flex-wrap gap-2">
          <ButtonLink to="/app/try" icon="spark">
            {words.toTry}
          </ButtonLink>
          <ButtonLink to={`/app/billing/payments/${payment.id}/receipt`} kind="plain" icon="print">
            {words.receipt}
          </ButtonLink>
        </div>
      </div>
    )
  }
  return <NotPaid payment={payment} />
}

/** In these cases paying again could pay twice. */
const MONEY_MAY_COME = ['timeout', 'unknown', 'amount_mismatch']

function NotPaid({ payment }: { payment: Payment }) {
  const words = useWords(paymentWords)
  const facts = useConsoleFacts()
  const network = networkOfPayment(facts.data?.data.networks ?? [], payment)
  const code = payment.error?.code ?? (payment.status === 'expired' ? 'timeout' : 'unknown')
  const known = code in words.ends ? (code as keyof typeof words.ends) : 'unknown'
  const mayCome = MONEY_MAY_COME.includes(known)
  return (
    <div className="flex flex-col gap-4">
      <Notice
        tone={mayCome ? 'warning' : 'bad'}
        title={words.ends[known](network?.name ?? words.wallet)}
      />
      {mayCome ? (
        <AlreadyPaid payment={payment} />
      ) : (
        <div className="flex flex-wrap gap-2">
          <ButtonLink to={`/app/billing?amount=${payment.amount_tzs}`} icon="phone">
            {known === 'invalid_number' ? words.otherNumber : words.again}
          </ButtonLink>
        </div>
      )}
    </div>
  )
}

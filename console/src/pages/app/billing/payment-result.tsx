import type { ReactNode } from 'react'
import { ButtonLink } from '../../../parts/button.tsx'
import { Icon, type IconName } from '../../../parts/icon.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { AlreadyPaid } from './already-paid.tsx'
import { useNetworkOf, type Payment } from './networks.ts'
import { paymentWords } from './payment-words.ts'

/** By its error code: what happened, whether money moved, what to do. */
export function PaymentResult({ payment }: { payment: Payment }) {
  return payment.status === 'completed' ? <Paid payment={payment} /> : <NotPaid payment={payment} />
}

function Paid({ payment }: { payment: Payment }) {
  const words = useWords(paymentWords)
  const { tzs, amount } = useFormats()
  return (
    <Outcome tone="good" title={words.received(tzs(payment.amount_tzs), amount(payment.credits))}>
      {payment.late && <p className="text-soft">{words.late}</p>}
      <div className="flex flex-wrap justify-center gap-2">
        <ButtonLink to="/app/try" icon="spark">
          {words.toTry}
        </ButtonLink>
        <ButtonLink to={`/app/billing/payments/${payment.id}/receipt`} kind="plain" icon="print">
          {words.receipt}
        </ButtonLink>
      </div>
    </Outcome>
  )
}

/** In these cases paying again could pay twice. */
const MONEY_MAY_COME = ['timeout', 'unknown', 'amount_mismatch']

function NotPaid({ payment }: { payment: Payment }) {
  const words = useWords(paymentWords)
  const network = useNetworkOf(payment)
  const code = payment.error?.code ?? (payment.status === 'expired' ? 'timeout' : 'unknown')
  const known = code in words.ends ? (code as keyof typeof words.ends) : 'unknown'
  const title = words.ends[known](network?.name ?? words.wallet)
  if (MONEY_MAY_COME.includes(known)) {
    return (
      <Outcome tone="wait" title={title}>
        <AlreadyPaid payment={payment} />
      </Outcome>
    )
  }
  return (
    <Outcome tone="bad" title={title}>
      <ButtonLink to={`/app/billing?amount=${payment.amount_tzs}`} icon="phone">
        {known === 'invalid_number' ? words.otherNumber : words.again}
      </ButtonLink>
    </Outcome>
  )
}

const TONES: Record<'good' | 'bad' | 'wait', { look: string; icon: IconName }> = {
  good: { look: 'bg-green-wash text-green', icon: 'check' },
  bad: { look: 'bg-danger-wash text-danger', icon: 'cross' },
  wait: { look: 'bg-warning-wash text-warning', icon: 'clock' },
}

type OutcomeProps = { tone: keyof typeof TONES; title: string; children: ReactNode }

/** Takes the place of the drawn phone; read aloud when it appears. */
function Outcome({ tone, title, children }: OutcomeProps) {
  const { look, icon } = TONES[tone]
  return (
    <div className="card flex flex-col items-center gap-4 px-5 py-8 text-center">
      <span className={`flex size-20 items-center justify-center rounded-full ${look}`}>
        <Icon name={icon} size={40} />
      </span>
      <p role={tone === 'good' ? 'status' : 'alert'} className="max-w-md text-lg font-semibold">
        {title}
      </p>
      {children}
    </div>
  )
}

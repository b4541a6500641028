import { Badge } from '../../../parts/badge.tsx'
import { Money, Tzs } from '../../../parts/money.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { TONES } from './tones.ts'
import { useNetworkOf, type Payment } from './networks.ts'
import { paymentWords } from './payment-words.ts'
import { billingWords } from './words.ts'

/** What is known of a payment, as a list; a receipt says the same. */
export function PaymentDetails({ payment }: { payment: Payment }) {
  const words = useWords(paymentWords)
  const billing = useWords(billingWords)
  const { fullMoment } = useFormats()
  const network = useNetworkOf(payment)
  const lines = [
    [
      billing.state,
      <Badge key="state" tone={TONES[payment.status]}>
        {billing.states[payment.status]}
      </Badge>,
    ],
    [words.amount, <Tzs key="amount" amount={payment.amount_tzs} />],
    [
      words.credits,
      payment.status === 'completed' ? (
        <Money key="credits" credits={payment.credits} />
      ) : undefined,
    ],
    [words.number, payment.phone_number],
    [words.network, network?.name ?? payment.network],
    [words.completedAt, payment.completed_at && fullMoment(payment.completed_at)],
    [words.reference, payment.reference],
    [words.providerReference, payment.provider_reference],
  ] as const
  return (
    <dl className="card divide-y divide-line px-4">
      {lines
        .filter(([, value]) => value !== undefined)
        .map(([label, value]) => (
          <div key={label} className="flex flex-wrap justify-between gap-x-4 py-2">
            <dt className="text-soft">{label}</dt>
            <dd className="figures min-w-0 font-medium break-all">{value}</dd>
          </div>
        ))}
    </dl>
  )
}

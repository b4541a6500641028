import { Link } from 'wouter'
import type { Answer } from '../../../client/ask.ts'
import { Badge, type Tone } from '../../../parts/badge.tsx'
import { Tzs } from '../../../parts/money.tsx'
import { Table, type Column } from '../../../parts/table.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useAge } from '../age.ts'
import { wordFor } from '../word-for.ts'
import { paymentsWords } from './words.ts'

/** In a queue with the reason for the review; in a customer's list without. */
type Listed = Answer<'GET /v1/operator/accounts/{id}/payments'>['data'][number] & {
  review?: { reason: string; done_by?: string | undefined } | undefined
}

export const PAYMENT_TONES: Record<Listed['status'], Tone> = {
  pending: 'wait',
  completed: 'good',
  failed: 'bad',
  expired: 'wait',
}

export function PaymentTable({ payments }: { payments: readonly Listed[] }) {
  const words = useWords(paymentsWords)
  const { moment } = useFormats()
  const age = useAge()
  const columns: Column<Listed>[] = [
    {
      label: words.reference,
      lead: true,
      show: ({ id, reference, review }) => (
        <>
          <Link
            href={`/operator/payments/${id}`}
            className="link inline-flex min-h-11 items-center font-mono text-sm wrap-anywhere"
          >
            {reference}
          </Link>
          {review && review.done_by === undefined && (
            <span className="block text-sm font-normal text-danger">
              {wordFor(words.reviews, review.reason)}
            </span>
          )}
        </>
      ),
    },
    {
      label: words.waited,
      show: ({ created_at }) => (
        <span className="whitespace-nowrap" title={moment(created_at)}>
          {age(created_at)}
        </span>
      ),
    },
    { label: words.phone, show: ({ phone_number }) => phone_number },
    {
      label: words.state,
      show: ({ status }) => <Badge tone={PAYMENT_TONES[status]}>{words.states[status]}</Badge>,
    },
    { label: words.amount, figure: true, show: ({ amount_tzs }) => <Tzs amount={amount_tzs} /> },
  ]
  return <Table caption={words.title} columns={columns} rows={payments} keyOf={({ id }) => id} />
}

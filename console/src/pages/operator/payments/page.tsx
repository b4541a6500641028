import { useAsk } from '../../../client/use-ask.ts'
import { ButtonLink } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { useFilters } from '../../../parts/filters.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Choices } from '../../../parts/form/select.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useWords } from '../../../words/language.tsx'
import { useOperator } from '../operator.ts'
import { PaymentTable } from './payment-table.tsx'
import { paymentsWords } from './words.ts'

const QUEUES = ['review', 'stuck', 'late'] as const
type Queue = (typeof QUEUES)[number]

export default function Page() {
  const words = useWords(paymentsWords)
  const { may } = useOperator()
  const [filters, change] = useFilters({ queue: 'review' })
  const queue = QUEUES.find((one) => one === filters.queue) ?? 'review'
  return (
    <>
      <PageTitle title={words.title} lead={words.lead}>
        {may('support') && (
          <ButtonLink to="/operator/payments/statement" kind="plain" icon="file">
            {words.reconcile}
          </ButtonLink>
        )}
      </PageTitle>
      <Choices<Queue>
        label={words.queue}
        value={queue}
        options={QUEUES.map((value) => ({ value, label: words.queues[value] }))}
        onChange={(next) => change({ queue: next })}
      />
      <p className="my-3 text-soft">{words.queueWhy[queue]}</p>
      <PaymentQueue queue={queue} />
    </>
  )
}

function PaymentQueue({ queue }: { queue: Queue }) {
  const words = useWords(paymentsWords)
  const payments = useAsk('GET /v1/operator/payments', { query: { queue, limit: 200 } })
  return (
    <Loaded
      query={payments}
      shape={<Skeleton lines={6} />}
      empty={<Empty icon="check" title={words.none} />}
    >
      {({ data }) => <PaymentTable payments={data} />}
    </Loaded>
  )
}

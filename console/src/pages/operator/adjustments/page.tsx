import { useState } from 'react'
import { Link } from 'wouter'
import { ask, type Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { DoneNotice } from '../../../parts/done-notice.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Money } from '../../../parts/money.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { useAge } from '../age.ts'
import { useOperator } from '../operator.ts'
import { ReadsOnly } from '../reads-only.tsx'
import { operatorWords } from '../words.ts'
import { adjustmentsWords } from './words.ts'

type Waiting = Answer<'GET /v1/operator/adjustments'>['data'][number]
type Decision = { target: Waiting; approve: boolean }

export default function Page() {
  const words = useWords(adjustmentsWords)
  const waiting = useAsk('GET /v1/operator/adjustments', { query: { limit: 100 } })
  const [decision, setDecision] = useState<Decision>()
  const [done, setDone] = useState('')
  return (
    <>
      <PageTitle title={words.title} lead={words.lead} />
      <ReadsOnly need="owner" />
      <DoneNotice>{done}</DoneNotice>
      <Loaded
        query={waiting}
        shape={<Skeleton lines={4} />}
        empty={<Empty icon="check" title={words.none} />}
      >
        {({ data }) => (
          <ul aria-label={words.title} className="card divide-y divide-line px-4">
            {data.map((one) => (
              <AdjustmentRow key={one.id} waiting={one} onDecide={setDecision} />
            ))}
          </ul>
        )}
      </Loaded>
      {decision && (
        <DecideAdjustment {...decision} onDone={setDone} onClose={() => setDecision(undefined)} />
      )}
    </>
  )
}

function AdjustmentRow({
  waiting,
  onDecide,
}: {
  waiting: Waiting
  onDecide(decision: Decision): void
}) {
  const words = useWords(adjustmentsWords)
  const common = useWords(operatorWords)
  const { may, account_id: own } = useOperator()
  const age = useAge()
  const isOwn = waiting.asked_by.account_id === own
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="text-lg font-semibold">
          <Money credits={waiting.amount_credits} signed />
        </p>
        <p className="wrap-anywhere">{waiting.reason}</p>
        <p className="text-sm wrap-anywhere text-soft">
          {words.askedBy(waiting.asked_by.name, age(waiting.asked_at))}
        </p>
        <Link
          href={`/operator/accounts/${waiting.account_id}`}
          className="link inline-flex min-h-11 items-center text-sm"
        >
          {common.customer}
        </Link>
      </div>
      {isOwn ? (
        <p className="text-sm text-soft">{words.own}</p>
      ) : (
        may('owner') && (
          <div className="flex gap-2">
            <Button onClick={() => onDecide({ target: waiting, approve: true })}>
              {words.approve}
            </Button>
            <Button kind="danger" onClick={() => onDecide({ target: waiting, approve: false })}>
              {words.refuse}
            </Button>
          </div>
        )
      )}
    </li>
  )
}

type DecideProps = Decision & { onDone(said: string): void; onClose(): void }

function DecideAdjustment({ target, approve, onDone, onClose }: DecideProps) {
  const words = useWords(adjustmentsWords)
  const { number } = useFormats()
  const amount = number(target.amount_credits, 6)
  return (
    <ActionDialog
      title={approve ? words.approveTitle(amount) : words.refuseTitle(amount)}
      why={approve ? words.approveWhy : words.refuseWhy}
      button={approve ? words.approve : words.refuse}
      harmless={!approve}
      fields={{ approve }}
      perform={(given) =>
        ask('POST /v1/operator/adjustments/{id}/decision', { path: { id: target.id }, ...given })
      }
      renews={[
        'GET /v1/operator/adjustments',
        'GET /v1/operator/attention',
        'GET /v1/operator/accounts/{id}',
      ]}
      onDone={({ data: { balance_credits: balance } }) =>
        onDone(balance === undefined ? words.refused : words.posted(number(balance, 6)))
      }
      onClose={onClose}
    />
  )
}

import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { DoneNotice } from '../../../parts/done-notice.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { logWords } from '../log/words.ts'
import { ReadsOnly } from '../reads-only.tsx'
import { wordFor } from '../word-for.ts'
import { RequestRow, type Decision } from './request-row.tsx'
import { requestsWords } from './words.ts'

/** Whatever waits for a second owner. */
export default function Page() {
  const words = useWords(requestsWords)
  const waiting = useAsk('GET /v1/operator/requests', { query: { limit: 100 } })
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
              <RequestRow key={one.id} waiting={one} onDecide={setDecision} />
            ))}
          </ul>
        )}
      </Loaded>
      {decision && (
        <DecideRequest {...decision} onDone={setDone} onClose={() => setDecision(undefined)} />
      )}
    </>
  )
}

type DecideProps = Decision & { onDone(said: string): void; onClose(): void }

function DecideRequest({ target, approve, onDone, onClose }: DecideProps) {
  const words = useWords(requestsWords)
  const log = useWords(logWords)
  const what = wordFor(log.wishes, target.action)
  return (
    <ActionDialog
      title={approve ? words.approveTitle(what) : words.refuseTitle(what)}
      why={approve ? words.approveWhy : words.refuseWhy}
      button={approve ? words.approve : words.refuse}
      harmless={!approve}
      kinds={{ conflict: words.impossible }}
      fields={{ approve }}
      perform={(given) =>
        ask('POST /v1/operator/requests/{id}/decision', { path: { id: target.id }, ...given })
      }
      renews={[
        'GET /v1/operator/requests',
        'GET /v1/operator/attention',
        'GET /v1/operator/accounts/{id}',
        'GET /v1/operator/models',
        'GET /v1/operator/margins',
        'GET /v1/operator/prices/waiting',
      ]}
      onDone={({ data }) => onDone(data.outcome === 'done' ? words.done : words.refused)}
      onClose={onClose}
    />
  )
}

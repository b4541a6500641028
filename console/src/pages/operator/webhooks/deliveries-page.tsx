import { BackLink } from '../../../parts/back-link.tsx'
import { useState } from 'react'
import { ask, type Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge, type Tone } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { DoneNotice } from '../../../parts/done-notice.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import type { Params } from '../../page.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { wordFor } from '../word-for.ts'
import { webhooksWords } from './words.ts'

type Delivery = Answer<'GET /v1/operator/webhooks/{id}/deliveries'>['data'][number]
const TONES: Record<Delivery['state'], Tone> = { waiting: 'wait', delivered: 'good', dead: 'bad' }

/** What was sent to one address, and the result. */
export default function Page({ params }: { params: Params }) {
  const words = useWords(webhooksWords)
  const id = params['id']!
  const deliveries = useAsk('GET /v1/operator/webhooks/{id}/deliveries', {
    path: { id },
    query: { limit: 100 },
  })
  const endpoint = useAsk('GET /v1/operator/webhooks').data?.data.find((one) => one.id === id)
  const [target, setTarget] = useState<Delivery>()
  const [done, setDone] = useState('')
  return (
    <>
      <BackLink to="/operator/webhooks">{words.backToAll}</BackLink>
      <PageTitle
        title={words.deliveries}
        lead={<span className="wrap-anywhere">{endpoint?.url}</span>}
      />
      <DoneNotice>{done}</DoneNotice>
      <Loaded
        query={deliveries}
        shape={<Skeleton lines={6} />}
        empty={<p className="card p-4 text-soft">{words.noDeliveries}</p>}
      >
        {({ data }) => (
          <ul aria-label={words.deliveries} className="card divide-y divide-line px-4">
            {data.map((one) => (
              <DeliveryRow key={one.id} delivery={one} onReplay={() => setTarget(one)} />
            ))}
          </ul>
        )}
      </Loaded>
      {target && (
        <ActionDialog
          title={words.replayTitle}
          why={words.replayWhy}
          button={words.replay}
          harmless
          perform={(given) =>
            ask('POST /v1/operator/webhooks/{id}/deliveries/{event_id}/replay', {
              path: { id, event_id: target.id },
              ...given,
            })
          }
          renews={['GET /v1/operator/webhooks/{id}/deliveries', 'GET /v1/operator/attention']}
          onDone={() => setDone(words.replayed)}
          onClose={() => setTarget(undefined)}
        />
      )}
    </>
  )
}

function DeliveryRow({ delivery, onReplay }: { delivery: Delivery; onReplay(): void }) {
  const words = useWords(webhooksWords)
  const { fullMoment, moment, number } = useFormats()
  const { state, last_status: status, last_error: error, next_try_at: next } = delivery
  const facts = [
    fullMoment(delivery.created_at),
    words.attempts(number(delivery.attempts)),
    ...(status === undefined ? [] : [words.answered(String(status))]),
    ...(next === undefined ? [] : [words.next(moment(next))]),
  ]
  return (
    <li className="flex flex-col gap-1 py-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="font-medium">{wordFor(words.kinds, delivery.type)}</p>
        <span className="flex items-center gap-2">
          <Badge tone={TONES[state]}>{words.states[state]}</Badge>
          {state !== 'waiting' && (
            <Button
              kind="quiet"
              size="small"
              aria-label={`${words.replay}: ${delivery.id}`}
              onClick={onReplay}
            >
              {words.replay}
            </Button>
          )}
        </span>
      </div>
      <p className="text-sm text-soft">{facts.join(' · ')}</p>
      {error && <p className="text-sm wrap-anywhere text-danger">{error}</p>}
      <details>
        <summary className="flex min-h-11 items-center text-sm text-green">{words.content}</summary>
        <pre className="rounded-sm bg-sunken p-3 font-mono text-sm wrap-anywhere whitespace-pre-wrap">
          {JSON.stringify(delivery.body, null, 2)}
        </pre>
      </details>
    </li>
  )
}

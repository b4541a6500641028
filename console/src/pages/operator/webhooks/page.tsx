import { useState } from 'react'
import { Link } from 'wouter'
import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useOperator } from '../operator.ts'
import { wordFor } from '../word-for.ts'
import { EndpointActs, type EndpointAct } from './endpoint-acts.tsx'
import { webhooksWords } from './words.ts'

export type Endpoint = Answer<'GET /v1/operator/webhooks'>['data'][number]

export default function Page() {
  const words = useWords(webhooksWords)
  const { may } = useOperator()
  return (
    <>
      <Link href="/operator/office" className="link inline-flex min-h-11 items-center text-sm">
        {words.back}
      </Link>
      {may('owner') ? (
        <Endpoints />
      ) : (
        <>
          <PageTitle title={words.title} />
          <Notice tone="info">{words.ownersOnly}</Notice>
        </>
      )}
    </>
  )
}

function Endpoints() {
  const words = useWords(webhooksWords)
  const endpoints = useAsk('GET /v1/operator/webhooks')
  const [act, setAct] = useState<EndpointAct>()
  const [done, setDone] = useState('')
  return (
    <>
      <PageTitle title={words.title} lead={words.lead}>
        <Button icon="plus" onClick={() => setAct({ act: 'add' })}>
          {words.add}
        </Button>
      </PageTitle>
      {done !== '' && (
        <div className="mb-4">
          <Notice tone="good">{done}</Notice>
        </div>
      )}
      <Loaded query={endpoints} shape={<Skeleton lines={3} tall />}>
        {({ data }) =>
          data.length === 0 ? (
            <div className="card">
              <Empty icon="send" title={words.none}>
                <p>{words.noneWhy}</p>
              </Empty>
            </div>
          ) : (
            <ul aria-label={words.title} className="flex flex-col gap-4">
              {data.map((one) => (
                <One key={one.id} endpoint={one} onAct={setAct} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {act && <EndpointActs {...act} onDone={setDone} onClose={() => setAct(undefined)} />}
    </>
  )
}

type OneProps = { endpoint: Endpoint; onAct(act: EndpointAct): void }

function One({ endpoint, onAct }: OneProps) {
  const words = useWords(webhooksWords)
  const { moment } = useFormats()
  const { url, enabled, previous_secret_until: until } = endpoint
  const button = (act: 'change' | 'switch' | 'rotate' | 'remove', label: string) => (
    <Button
      kind="quiet"
      size="small"
      aria-label={`${label}: ${url}`}
      onClick={() => onAct({ act, endpoint })}
    >
      {label}
    </Button>
  )
  return (
    <li className="card p-4">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <Link
            href={`/operator/webhooks/${endpoint.id}`}
            className="link inline-flex min-h-11 items-center font-semibold wrap-anywhere"
          >
            {url}
          </Link>
          {endpoint.description !== '' && (
            <p className="wrap-anywhere text-soft">{endpoint.description}</p>
          )}
          <p className="text-sm text-soft">
            {endpoint.events.map((event) => wordFor(words.kinds, event)).join(' · ')}
          </p>
          {until !== undefined && <p className="text-sm">{words.oldSecret(moment(until))}</p>}
        </div>
        <Badge tone={enabled ? 'good' : 'plain'}>{enabled ? words.on : words.off}</Badge>
      </div>
      <div className="mt-2 -ml-3 flex flex-wrap">
        {button('change', words.change)}
        {button('switch', enabled ? words.turnOff : words.turnOn)}
        {button('rotate', words.rotate)}
        {button('remove', words.remove)}
      </div>
    </li>
  )
}

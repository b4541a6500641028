import { BackLink } from '../../../parts/back-link.tsx'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { DoneNotice } from '../../../parts/done-notice.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useOperator } from '../operator.ts'
import { wordFor } from '../word-for.ts'
import { EndpointDialogs } from './endpoint-dialogs.tsx'
import { NewSecret } from './new-secret.tsx'
import type { Endpoint, EndpointDialog } from './types.ts'
import { webhooksWords } from './words.ts'

export default function Page() {
  const words = useWords(webhooksWords)
  const { may } = useOperator()
  return (
    <>
      <BackLink to="/operator/office">{words.back}</BackLink>
      {may('owner') ? (
        <WebhookList />
      ) : (
        <>
          <PageTitle title={words.title} />
          <Notice tone="info">{words.ownersOnly}</Notice>
        </>
      )}
    </>
  )
}

function WebhookList() {
  const words = useWords(webhooksWords)
  const endpoints = useAsk('GET /v1/operator/webhooks')
  const [dialog, setDialog] = useState<EndpointDialog>()
  const [secret, setSecret] = useState<string>()
  const [done, setDone] = useState('')
  return (
    <>
      <PageTitle title={words.title} lead={words.lead}>
        <Button icon="plus" onClick={() => setDialog({ kind: 'add' })}>
          {words.add}
        </Button>
      </PageTitle>
      <DoneNotice>{done}</DoneNotice>
      <Loaded
        query={endpoints}
        shape={<Skeleton lines={3} tall />}
        empty={
          <Empty icon="send" title={words.none}>
            <p>{words.noneWhy}</p>
          </Empty>
        }
      >
        {({ data }) => (
          <ul aria-label={words.title} className="flex flex-col gap-4">
            {data.map((one) => (
              <WebhookRow key={one.id} endpoint={one} onOpen={setDialog} />
            ))}
          </ul>
        )}
      </Loaded>
      {dialog && (
        <EndpointDialogs
          dialog={dialog}
          onDone={setDone}
          onSecret={setSecret}
          onClose={() => setDialog(undefined)}
        />
      )}
      {secret !== undefined && <NewSecret secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}

type WebhookRowProps = { endpoint: Endpoint; onOpen(dialog: EndpointDialog): void }

function WebhookRow({ endpoint, onOpen }: WebhookRowProps) {
  const words = useWords(webhooksWords)
  const { moment } = useFormats()
  const { url, enabled, previous_secret_until: until, gone_at: gone } = endpoint
  const button = (kind: 'change' | 'switch' | 'rotate' | 'remove', label: string) => (
    <Button
      kind="quiet"
      size="small"
      aria-label={`${label}: ${url}`}
      onClick={() => onOpen({ kind, endpoint })}
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
          {gone !== undefined && <p className="text-sm text-danger">{words.gone(moment(gone))}</p>}
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

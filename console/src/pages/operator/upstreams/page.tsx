import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { DoneNotice } from '../../../parts/done-notice.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { ReadsOnly } from '../reads-only.tsx'
import type { UpstreamDialog } from './types.ts'
import { UpstreamCard } from './upstream-card.tsx'
import { RecentCalls } from './recent-calls.tsx'
import { upstreamsWords } from './words.ts'

export default function Page() {
  const words = useWords(upstreamsWords)
  const upstreams = useAsk('GET /v1/operator/upstreams', {}, { refetchInterval: 30_000 })
  const [dialog, setDialog] = useState<UpstreamDialog>()
  const [done, setDone] = useState('')
  const close = () => setDialog(undefined)
  return (
    <>
      <PageTitle title={words.title} lead={words.lead} />
      <ReadsOnly need="owner" />
      <DoneNotice>{done}</DoneNotice>
      <Loaded
        query={upstreams}
        shape={<Skeleton lines={3} tall />}
        empty={<p className="card p-4 text-soft">{words.none}</p>}
      >
        {({ data }) => (
          <div className="grid items-start gap-6 xl:grid-cols-2">
            {data.map((one) => (
              <UpstreamCard key={one.name} upstream={one} onOpen={setDialog} />
            ))}
          </div>
        )}
      </Loaded>
      {dialog?.kind === 'recent' && <RecentCalls name={dialog.name} onClose={close} />}
      {dialog?.kind === 'drain' && (
        <DrainUpstream name={dialog.name} onDone={setDone} onClose={close} />
      )}
      {dialog?.kind === 'undrain' && (
        <UseUpstreamAgain name={dialog.name} onDone={setDone} onClose={close} />
      )}
    </>
  )
}

type DrainProps = { name: string; onDone(said: string): void; onClose(): void }

const CHANGED = ['GET /v1/operator/upstreams', 'GET /v1/operator/attention'] as const

function DrainUpstream({ name, onDone, onClose }: DrainProps) {
  const words = useWords(upstreamsWords)
  return (
    <ActionDialog
      title={words.drainTitle(name)}
      why={words.drainWhy}
      button={words.drain}
      perform={(given) =>
        ask('POST /v1/operator/upstreams/{name}/drain', { path: { name }, ...given })
      }
      renews={CHANGED}
      onDone={() => onDone(words.drained(name))}
      onClose={onClose}
    />
  )
}

function UseUpstreamAgain({ name, onDone, onClose }: DrainProps) {
  const words = useWords(upstreamsWords)
  return (
    <ActionDialog
      title={words.undrainTitle(name)}
      why={words.undrainWhy}
      button={words.undrain}
      harmless
      perform={(given) =>
        ask('DELETE /v1/operator/upstreams/{name}/drain', { path: { name }, ...given })
      }
      renews={CHANGED}
      onDone={() => onDone(words.undrained(name))}
      onClose={onClose}
    />
  )
}

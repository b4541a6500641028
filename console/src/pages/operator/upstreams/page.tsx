import { useState } from 'react'
import { ask, type Answer } from '../../../client/ask.ts'
import { useAsk, useAskAgain } from '../../../client/use-ask.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useWords } from '../../../words/language.tsx'
import { ActDialog } from '../act-dialog.tsx'
import { ReadsOnly } from '../reads-only.tsx'
import { OneUpstream } from './one-upstream.tsx'
import { Recent } from './recent.tsx'
import { upstreamsWords } from './words.ts'

export type Upstream = Answer<'GET /v1/operator/upstreams'>['data'][number]
export type UpstreamAct = { act: 'drain' | 'undrain' | 'recent'; name: string }

export default function Page() {
  const words = useWords(upstreamsWords)
  const upstreams = useAsk('GET /v1/operator/upstreams', {}, { refetchInterval: 30_000 })
  const [act, setAct] = useState<UpstreamAct>()
  const [done, setDone] = useState('')
  const close = () => setAct(undefined)
  return (
    <>
      <PageTitle title={words.title} lead={words.lead} />
      <ReadsOnly need="owner" />
      {done !== '' && (
        <div className="mb-4">
          <Notice tone="good">{done}</Notice>
        </div>
      )}
      <Loaded query={upstreams} shape={<Skeleton lines={3} tall />}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="card p-4 text-soft">{words.none}</p>
          ) : (
            <div className="grid items-start gap-6 xl:grid-cols-2">
              {data.map((one) => (
                <OneUpstream key={one.name} upstream={one} onAct={setAct} />
              ))}
            </div>
          )
        }
      </Loaded>
      {act?.act === 'recent' && <Recent name={act.name} onClose={close} />}
      {(act?.act === 'drain' || act?.act === 'undrain') && (
        <Drain
          act={act.act}
          name={act.name}
          onDone={(said) => (close(), setDone(said))}
          onClose={close}
        />
      )}
    </>
  )
}

type DrainProps = {
  act: 'drain' | 'undrain'
  name: string
  onDone(said: string): void
  onClose(): void
}

function Drain({ act, name, onDone, onClose }: DrainProps) {
  const words = useWords(upstreamsWords)
  const again = useAskAgain()
  const isDraining = act === 'drain'
  const route = isDraining
    ? 'POST /v1/operator/upstreams/{name}/drain'
    : 'DELETE /v1/operator/upstreams/{name}/drain'
  return (
    <ActDialog
      title={isDraining ? words.drainTitle(name) : words.undrainTitle(name)}
      why={isDraining ? words.drainWhy : words.undrainWhy}
      act={words[act]}
      harmless={!isDraining}
      perform={({ reason, idempotencyKey }) =>
        ask(route, { path: { name }, body: { reason }, idempotencyKey })
      }
      onDone={() => {
        onDone(isDraining ? words.drained(name) : words.undrained(name))
        return again('GET /v1/operator/upstreams', 'GET /v1/operator/attention')
      }}
      onClose={onClose}
    />
  )
}

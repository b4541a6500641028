import { useAsk } from '../../client/use-ask.ts'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Notice } from '../../parts/notice.tsx'
import { PageTitle, Section } from '../../parts/page-title.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useFormats } from '../../words/format.ts'
import { useWords } from '../../words/language.tsx'
import { StatusBars, type Piece } from './strip.tsx'
import { statusWords } from './words.ts'

const AGAIN_MS = 30_000

export default function Page() {
  const words = useWords(statusWords)
  const health = useAsk('GET /v1/gateway/health', {}, { refetchInterval: AGAIN_MS })
  return (
    <div className="column py-8">
      <PageTitle title={words.title} lead={words.say} />
      {health.isError && (
        <FailureNotice error={health.error} onRetry={() => void health.refetch()} />
      )}
      {health.isPending && <Skeleton lines={1} tall />}
      {health.data && <CurrentStatus health={health.data.data} at={health.dataUpdatedAt} />}
      <StatusHistory />
    </div>
  )
}

type Health = { healthy: boolean; upstreams_total: number; upstreams_healthy: number }

function CurrentStatus({ health, at }: { health: Health; at: number }) {
  const words = useWords(statusWords)
  const { number, time } = useFormats()
  const all = health.upstreams_healthy === health.upstreams_total
  const state = !health.healthy ? 'down' : all ? 'up' : 'degraded'
  const looks = {
    up: 'bg-green text-on-green',
    degraded: 'bg-warning-wash text-warning',
    down: 'bg-danger-wash text-danger',
  }
  return (
    <div role="status" className={`mb-8 flex items-center gap-4 rounded-md p-5 ${looks[state]}`}>
      <Icon name={state === 'up' ? 'check' : 'warning'} size={36} />
      <div>
        <p className="text-xl font-semibold">{words[state]}</p>
        <p className="text-sm">
          {words.upstreams(number(health.upstreams_healthy), number(health.upstreams_total))} ·{' '}
          {words.checked(time(at))}
        </p>
      </div>
    </div>
  )
}

function StatusHistory() {
  const words = useWords(statusWords)
  const { time, shortDay, percent } = useFormats()
  const history = useAsk('GET /v1/gateway/health/history', {}, { refetchInterval: AGAIN_MS * 10 })
  if (history.isError) return null
  if (history.data === undefined) return <Skeleton lines={2} tall />
  const { recent, days, note } = history.data.data
  const hours: Piece[] = recent.map(({ at, state }) => ({ key: at, label: time(at), state }))
  const quarter: Piece[] = days.map(({ day, state, up_percent }) => ({
    key: day,
    label: shortDay(`${day}T12:00:00+03:00`),
    state,
    detail: up_percent === undefined ? undefined : words.percent(percent(up_percent)),
  }))
  return (
    <>
      {note !== undefined && (
        <div className="mb-8">
          <Notice tone="warning" title={words.note}>
            {note}
          </Notice>
        </div>
      )}
      <Section title={words.day}>
        <StatusBars label={words.day} pieces={hours} />
      </Section>
      <Section title={words.quarter}>
        <StatusBars label={words.quarter} pieces={quarter} />
        <p className="text-sm text-soft">{words.zone}</p>
      </Section>
    </>
  )
}

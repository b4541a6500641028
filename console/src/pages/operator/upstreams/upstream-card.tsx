import { useAsk } from '../../../client/use-ask.ts'
import { Badge, type Tone } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Tzs } from '../../../parts/money.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useAge } from '../age.ts'
import { DetailList } from '../detail-list.tsx'
import { useOperator } from '../operator.ts'
import { wordFor } from '../word-for.ts'
import type { Upstream, UpstreamDialog } from './types.ts'
import { upstreamsWords } from './words.ts'

const TONES: Record<Upstream['state'], Tone> = {
  up: 'good',
  degraded: 'wait',
  down: 'bad',
  drained: 'plain',
}

type Props = { upstream: Upstream; onOpen(dialog: UpstreamDialog): void }

export function UpstreamCard({ upstream, onOpen }: Props) {
  const words = useWords(upstreamsWords)
  const age = useAge()
  const { may } = useOperator()
  const { name, state, since, drained, key_trouble: keyTrouble } = upstream
  const action = drained ? 'undrain' : 'drain'
  return (
    <section aria-label={name} className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="min-w-0 text-lg wrap-anywhere">{name}</h2>
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone={TONES[state]}>{words.states[state]}</Badge>
          {since && <span className="text-sm text-soft">{words.since(age(since))}</span>}
        </span>
      </div>
      {keyTrouble && <Notice tone="bad">{words.keyTroubles[keyTrouble]}</Notice>}
      {drained && (
        <Notice tone="warning">
          <p className="wrap-anywhere">{words.drainedBy(drained.by, drained.reason ?? '–')}</p>
        </Notice>
      )}
      <UpstreamFigures upstream={upstream} />
      <div className="flex flex-wrap gap-2">
        <Button
          kind="plain"
          size="small"
          icon="bars"
          aria-label={`${words.history}: ${name}`}
          onClick={() => onOpen({ kind: 'recent', name })}
        >
          {words.history}
        </Button>
        {may('owner') && (
          <Button
            kind={drained ? 'plain' : 'danger'}
            size="small"
            aria-label={`${words[action]}: ${name}`}
            onClick={() => onOpen({ kind: action, name })}
          >
            {words[action]}
          </Button>
        )}
      </div>
    </section>
  )
}

function UpstreamFigures({ upstream }: { upstream: Upstream }) {
  const words = useWords(upstreamsWords)
  const { number } = useFormats()
  const age = useAge()
  const cost = useCost(upstream.name)
  const { calls, errors, p50_ms: half, p95_ms: most } = upstream.last_hour
  const seconds = (ms: number | undefined) =>
    ms === undefined ? undefined : words.seconds(number(ms / 1000, 2))
  return (
    <DetailList
      details={[
        [`${words.calls}, ${words.lastHour.toLowerCase()}`, number(calls)],
        [
          words.errors,
          <span key="errors" className={errors > 0 ? 'text-danger' : ''}>
            {number(errors)}
            {calls > 0 && ` (${number((errors / calls) * 100, 1)}%)`}
          </span>,
        ],
        [words.half, seconds(half)],
        [words.most, seconds(most)],
        [words.spend, cost === undefined ? undefined : <Tzs key="cost" amount={cost} />],
        [words.priority, number(upstream.priority)],
        [words.weight, number(upstream.weight)],
        [words.margin, upstream.margin],
        ...upstream.troubles.map(
          ({ why, model, since }) =>
            [
              model ?? words.all,
              `${wordFor(words.whys, why)}, ${words.since(age(since))}`,
            ] as const,
        ),
      ]}
    />
  )
}

function useCost(name: string): number | undefined {
  const overview = useAsk('GET /v1/operator/overview', {}, { staleTime: 300_000 })
  return overview.data?.data.by_upstream.find(({ upstream }) => upstream === name)?.upstream_tzs
}

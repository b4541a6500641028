import { useState } from 'react'
import { useAsk } from '../../../client/use-ask.ts'
import { Bars } from '../../../parts/bars.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Select } from '../../../parts/form/select.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import type { Period } from './periods.ts'
import { overviewWords } from './words.ts'

const OF_CALLS = ['none', 'model', 'upstream', 'kind'] as const

/** What each figure can be split by. */
const METRICS = {
  received_tzs: ['none', 'network'],
  margin_tzs: ['none', 'model'],
  used_credits: OF_CALLS,
  upstream_tzs: OF_CALLS,
  requests: OF_CALLS,
} as const
type Metric = keyof typeof METRICS
type By = (typeof METRICS)[Metric][number]

/** One figure by day, as a whole or split. */
export function DailyChart({ period }: { period: Period }) {
  const words = useWords(overviewWords)
  const [metric, setMetric] = useState<Metric>('received_tzs')
  const [wanted, setWanted] = useState<By>('none')
  const bys: readonly By[] = METRICS[metric]
  const by = bys.includes(wanted) ? wanted : 'none'
  const query = { metric, ...period, ...(by !== 'none' && { by }) }
  const series = useAsk('GET /v1/operator/series', { query })
  return (
    <Section title={words.perDay}>
      <div className="grid gap-3 sm:grid-cols-2">
        <Select<Metric>
          label={words.metric}
          value={metric}
          options={(Object.keys(METRICS) as Metric[]).map((value) => ({
            value,
            label: words.metrics[value],
          }))}
          onChange={setMetric}
        />
        <Select<By>
          label={words.by}
          value={by}
          options={bys.map((value) => ({ value, label: words.bys[value] }))}
          onChange={setWanted}
        />
      </div>
      <Loaded query={series} shape={<Skeleton lines={2} tall />}>
        {({ data }) => (
          <div className={by === 'none' ? '' : 'grid gap-3 sm:grid-cols-2 xl:grid-cols-3'}>
            {data.series.map((line) => (
              <ChartLine key={line.name} metric={metric} by={by} days={data.days} line={line} />
            ))}
          </div>
        )}
      </Loaded>
    </Section>
  )
}

type ChartLineProps = {
  metric: Metric
  by: By
  days: string[]
  line: { name: string; values: number[] }
}

function ChartLine({ metric, by, days, line }: ChartLineProps) {
  const words = useWords(overviewWords)
  const { amount, tzs, shortDay } = useFormats()
  const show = metric.endsWith('_tzs') ? tzs : amount
  const total = line.values.reduce((sum, value) => sum + value, 0)
  const named = line.name === 'others' ? words.others : line.name || words.unknown
  const name = by === 'none' ? words.metrics[metric] : named
  return (
    <div className="card min-w-0 p-4">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-3">
        <p className="min-w-0 text-sm wrap-anywhere text-soft">{name}</p>
        <p className="figures font-semibold">{show(total)}</p>
      </div>
      <Bars
        caption={`${name}, ${words.perDay}`}
        unit={words.units[metric]}
        bars={days.map((day, at) => ({
          key: day,
          label: shortDay(`${day}T12:00:00+03:00`),
          value: line.values[at] ?? 0,
          shown: amount(line.values[at] ?? 0),
        }))}
      />
    </div>
  )
}

import { useState } from 'react'
import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Bars } from '../../../parts/bars.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Money, Tzs } from '../../../parts/money.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Choices } from '../../../parts/select.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { Table, type Column } from '../../../parts/table.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { Figures } from './figures.tsx'
import type { Period, Periods } from './periods.ts'
import { overviewWords } from './words.ts'

export type Overview = Answer<'GET /v1/operator/overview'>['data']

export function Business({ days, now, before }: Periods) {
  const overview = useAsk('GET /v1/operator/overview', { query: now })
  const earlier = useAsk('GET /v1/operator/overview', { query: before })
  return (
    <div className="mt-4">
      <Loaded query={overview} shape={<Skeleton lines={4} tall />}>
        {({ data }) => (
          <>
            <Figures days={days} now={data} before={earlier.data?.data} />
            <ByDay days={data.days} period={now} />
            <div className="grid items-start gap-4 lg:grid-cols-[2fr_1fr]">
              <ByModel models={data.by_model} />
              <ByNetwork networks={data.by_network} />
            </div>
          </>
        )}
      </Loaded>
    </div>
  )
}

const METRICS = ['received', 'used', 'requests'] as const
type Metric = (typeof METRICS)[number]
type Day = Overview['days'][number]
const VALUES: Record<Metric, (day: Day) => number> = {
  received: (day) => day.received_tzs,
  used: (day) => day.used_credits,
  requests: (day) => day.requests,
}

function ByDay({ days, period }: { days: Day[]; period: Period }) {
  const words = useWords(overviewWords)
  const { amount, shortDay } = useFormats()
  const [metric, setMetric] = useState<Metric>('received')
  return (
    <Section title={words.perDay}>
      <Choices<Metric>
        label={words.metric}
        value={metric}
        options={METRICS.map((value) => ({ value, label: words.metrics[value] }))}
        onChange={setMetric}
      />
      <div className="card p-4">
        <Bars
          caption={words.metrics[metric]}
          unit={words.unit[metric]}
          bars={everyDay(days, period).map(({ day, value }) => {
            const figure = value ? VALUES[metric](value) : 0
            const label = shortDay(`${day}T12:00:00+03:00`)
            return { key: day, label, value: figure, shown: amount(figure) }
          })}
        />
      </div>
    </Section>
  )
}

/** Days without any business are shown too. */
function everyDay(days: Day[], { from, to }: Period): { day: string; value: Day | undefined }[] {
  const known = new Map(days.map((one) => [one.day, one]))
  const all: { day: string; value: Day | undefined }[] = []
  for (let at = Date.parse(`${from}T12:00:00Z`); ; at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10)
    if (day > to) return all
    all.push({ day, value: known.get(day) })
  }
}

type ModelRow = Overview['by_model'][number]

function ByModel({ models }: { models: ModelRow[] }) {
  const words = useWords(overviewWords)
  const { number } = useFormats()
  const rows = [...models].sort((one, other) => other.used_credits - one.used_credits).slice(0, 20)
  const columns: Column<ModelRow>[] = [
    {
      label: words.model,
      lead: true,
      show: ({ model }) => <span className="wrap-anywhere">{model}</span>,
    },
    { label: words.requests, figure: true, show: (one) => number(one.requests) },
    { label: words.used, figure: true, show: (one) => <Money credits={one.used_credits} /> },
  ]
  return (
    <Section title={words.byModel}>
      {rows.length === 0 ? (
        <p className="card p-4 text-soft">{words.noModels}</p>
      ) : (
        <div className="sm:card sm:px-2">
          <Table
            caption={words.byModel}
            columns={columns}
            rows={rows}
            keyOf={({ model }) => model}
          />
        </div>
      )}
    </Section>
  )
}

type NetworkRow = Overview['by_network'][number]

function ByNetwork({ networks }: { networks: NetworkRow[] }) {
  const words = useWords(overviewWords)
  const { number } = useFormats()
  if (networks.length === 0) return null
  const columns: Column<NetworkRow>[] = [
    {
      label: words.network,
      lead: true,
      show: ({ network }) => (network === 'unknown' ? words.unknownNetwork : network),
    },
    { label: words.payments, figure: true, show: (one) => number(one.payments) },
    { label: words.received, figure: true, show: (one) => <Tzs amount={one.received_tzs} /> },
  ]
  return (
    <Section title={words.byNetwork}>
      <div className="sm:card sm:px-2">
        <Table
          caption={words.byNetwork}
          columns={columns}
          rows={networks}
          keyOf={({ network }) => network}
        />
      </div>
    </Section>
  )
}

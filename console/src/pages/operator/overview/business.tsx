import { useAsk } from '../../../client/use-ask.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Money, Tzs } from '../../../parts/money.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { Table, type Column } from '../../../parts/table.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { MainFigures, OtherFigures } from './figures.tsx'
import type { Periods } from './periods.ts'
import { DailyChart } from './daily-chart.tsx'
import type { Overview } from './types.ts'
import { overviewWords } from './words.ts'

export function Business({ days, now, before }: Periods) {
  const overview = useAsk('GET /v1/operator/overview', { query: now })
  const earlier = useAsk('GET /v1/operator/overview', { query: before })
  return (
    <div className="mt-4">
      <Loaded query={overview} shape={<Skeleton lines={4} tall />}>
        {({ data }) => (
          <>
            <MainFigures days={days} now={data} before={earlier.data?.data} />
            <div className="grid items-start gap-x-4 xl:grid-cols-[2fr_1fr]">
              <DailyChart period={now} />
              <OtherFigures now={data} />
              <ByModel models={data.by_model} />
              <ByNetwork networks={data.by_network} />
            </div>
          </>
        )}
      </Loaded>
    </div>
  )
}

type ModelRow = Overview['by_model'][number]
const MOST_ROWS = 20

function ByModel({ models }: { models: ModelRow[] }) {
  const words = useWords(overviewWords)
  const { number, percent } = useFormats()
  const rows = [...models]
    .sort((one, other) => other.used_credits - one.used_credits)
    .slice(0, MOST_ROWS)
  const columns: Column<ModelRow>[] = [
    {
      label: words.model,
      lead: true,
      show: ({ model }) => <span className="wrap-anywhere">{model}</span>,
    },
    { label: words.calls, figure: true, show: (one) => number(one.requests) },
    { label: words.used, figure: true, show: (one) => <Money credits={one.used_credits} /> },
    { label: words.costShort, figure: true, show: (one) => <Tzs amount={one.upstream_tzs} /> },
    {
      label: words.margin,
      figure: true,
      show: ({ margin_tzs: margin, earned_tzs: earned }) => (
        <span className={margin < 0 ? 'font-medium text-danger' : 'font-medium'}>
          <Tzs amount={margin} />
          {earned > 0 && ` (${percent(Math.round((margin / earned) * 100))})`}
        </span>
      ),
    },
  ]
  return (
    <Section title={words.byModel}>
      {rows.length === 0 ? (
        <p className="card p-4 text-soft">{words.noModels}</p>
      ) : (
        <>
          <Table
            caption={words.byModel}
            columns={columns}
            rows={rows}
            keyOf={({ model }) => model}
          />
          <p className="text-sm text-soft">{words.byModelWhy}</p>
        </>
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
      show: ({ network }) => (network === 'unknown' ? words.unknown : network),
    },
    { label: words.payments, figure: true, show: (one) => number(one.payments) },
    { label: words.received, figure: true, show: (one) => <Tzs amount={one.received_tzs} /> },
  ]
  return (
    <Section title={words.byNetwork}>
      <Table
        caption={words.byNetwork}
        columns={columns}
        rows={networks}
        keyOf={({ network }) => network}
      />
    </Section>
  )
}

import { Link } from 'wouter'
import { useSession } from '../../../client/session.ts'
import { useAsk } from '../../../client/use-ask.ts'
import type { Answer } from '../../../client/ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { Filters, useFilters } from '../../../parts/filters.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Pager } from '../../../parts/pager.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Select } from '../../../parts/form/select.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { Stat } from '../../../parts/stat.tsx'
import { useFormats } from '../../../words/format.ts'
import { useLanguage, useWords } from '../../../words/language.tsx'
import { monthOf, monthsSince, type Month } from './months.ts'
import { statementWords } from './statement-words.ts'
import { billingWords } from './words.ts'

type Entry = Answer<'GET /v1/billing/transactions'>['data'][number]

/** A month of the ledger: where the balance began, each entry, where it ended. */
export default function Statement() {
  const words = useWords(statementWords)
  const billing = useWords(billingWords)
  const { user } = useSession()
  const { language } = useLanguage()
  const months = monthsSince(user!.created_at)
  const [filters, change] = useFilters({ month: months[0]!.id, type: '', offset: '0' })
  const name = (month: Month) =>
    new Intl.DateTimeFormat(language === 'sw' ? 'sw-TZ' : 'en-GB', {
      month: 'long',
      year: 'numeric',
      timeZone: 'Africa/Dar_es_Salaam',
    }).format(new Date(month.from))
  const types = Object.entries(words.types).map(([value, label]) => ({ value, label }))
  return (
    <>
      <Link href="/app/billing" className="link no-print mb-2 inline-flex min-h-11 items-center">
        {billing.back}
      </Link>
      <PageTitle title={words.title} lead={words.lead('Africa/Dar_es_Salaam')}>
        <span className="no-print">
          <Button kind="plain" icon="print" onClick={() => window.print()}>
            {words.print}
          </Button>
        </span>
      </PageTitle>
      <Filters>
        <Select
          label={words.month}
          value={filters.month}
          options={months.map((month) => ({ value: month.id, label: name(month) }))}
          onChange={(month) => change({ month, offset: '0' })}
        />
        <Select
          label={words.type}
          value={filters.type}
          options={[{ value: '', label: words.all }, ...types]}
          onChange={(type) => change({ type, offset: '0' })}
        />
      </Filters>
      <div className="mt-6 flex flex-col gap-4">
        <StatementSums month={monthOf(filters.month)} />
        <StatementEntries
          month={monthOf(filters.month)}
          type={filters.type as Entry['type'] | ''}
          offset={Number(filters.offset)}
          onOffset={(offset) => change({ offset: String(offset) })}
        />
      </div>
    </>
  )
}

/** Computed from the first and the last entry of the month. */
function StatementSums({ month: { from, to } }: { month: Month }) {
  const words = useWords(statementWords)
  const newest = useAsk('GET /v1/billing/transactions', { query: { from, to, limit: 1 } })
  const total = newest.data?.pagination?.total ?? 0
  const oldest = useAsk(
    'GET /v1/billing/transactions',
    { query: { from, to, limit: 1, offset: Math.max(0, total - 1) } },
    { enabled: total > 0 },
  )
  const first = oldest.data?.data[0]
  const last = newest.data?.data[0]
  if (first === undefined || last === undefined) return null
  const opening = exact(first.balance_after_credits - first.amount_credits)
  return (
    <div className="grid gap-3 sm:grid-cols-3 max-sm:[&>*]:py-2">
      <Stat label={words.opening}>
        <ExactCredits credits={opening} />
      </Stat>
      <Stat label={words.change}>
        <ExactCredits signed credits={exact(last.balance_after_credits - opening)} />
      </Stat>
      <Stat label={words.closing}>
        <ExactCredits credits={last.balance_after_credits} />
      </Stat>
    </div>
  )
}

/** Credits have six digits after the point. */
const exact = (credits: number) => Math.round(credits * 1e6) / 1e6

type EntriesProps = {
  month: Month
  type: Entry['type'] | ''
  offset: number
  onOffset(offset: number): void
}

function StatementEntries({ month: { from, to }, type, offset, onOffset }: EntriesProps) {
  const words = useWords(statementWords)
  const entries = useAsk('GET /v1/billing/transactions', {
    query: { from, to, limit: 50, offset, ...(type && { type }) },
  })
  return (
    <Loaded
      query={entries}
      shape={<Skeleton lines={6} />}
      empty={<Empty icon="file" title={words.none} />}
    >
      {({ data, pagination }) => (
        <>
          <ul aria-label={words.title} className="card divide-y divide-line px-4">
            {data.map((entry) => (
              <StatementRow key={entry.id} entry={entry} />
            ))}
          </ul>
          <Pager page={pagination} onOffset={onOffset} />
        </>
      )}
    </Loaded>
  )
}

/** Name and time on the left, exact figures on the right. */
function StatementRow({ entry }: { entry: Entry }) {
  const words = useWords(statementWords)
  const { moment } = useFormats()
  return (
    <li className="flex items-start justify-between gap-4 py-2.5">
      <div className="min-w-0">
        <EntryName entry={entry} />
        <p className="text-sm wrap-anywhere text-soft">
          {moment(entry.created_at)}
          {entry.type === 'usage' && ` · ${entry.description}`}
        </p>
      </div>
      <div className="shrink-0 text-right">
        <p className={`font-medium ${entry.amount_credits > 0 ? 'text-green' : ''}`}>
          <ExactCredits credits={entry.amount_credits} signed />
        </p>
        <p className="text-sm text-soft">
          <span className="sr-only">{words.after}: </span>
          <ExactCredits credits={entry.balance_after_credits} />
        </p>
      </div>
    </li>
  )
}

function EntryName({ entry: { type, reference } }: { entry: Entry }) {
  const words = useWords(statementWords)
  if (reference?.type !== 'payment') return <p className="font-medium">{words.types[type]}</p>
  return (
    <Link href={`/app/billing/payments/${reference.id}`} className="link font-medium">
      {words.types[type]}
    </Link>
  )
}

/** Readers add up a statement, so nothing in it is rounded. */
function ExactCredits({ credits, signed }: { credits: number; signed?: boolean }) {
  const { number } = useFormats()
  const sign = signed && credits > 0 ? '+' : ''
  return <span className="figures whitespace-nowrap">{sign + number(credits, 6)}</span>
}

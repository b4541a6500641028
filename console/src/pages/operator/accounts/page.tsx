import { Link } from 'wouter'
import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { useFilters } from '../../../parts/filters.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Money } from '../../../parts/money.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Choices } from '../../../parts/form/select.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { Table, type Column } from '../../../parts/table.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { BeforePager } from '../before-pager.tsx'
import { SearchForm } from '../search-form.tsx'
import { STATUS_TONES, type Status } from './statuses.ts'
import { accountsWords } from './words.ts'

type Found = Answer<'GET /v1/operator/accounts'>['data'][number]

const ROWS = 25
const DEFAULTS = { q: '', status: '', before: '' }

export default function Page() {
  const words = useWords(accountsWords)
  const [filters, change] = useFilters(DEFAULTS)
  const options = [
    { value: '', label: words.any },
    ...Object.entries(words.statuses).map(([value, label]) => ({ value, label })),
  ]
  return (
    <>
      <PageTitle title={words.title} lead={words.lead} />
      <SearchForm
        label={words.search}
        maxLength={320}
        key={filters.q}
        start={filters.q}
        onSearch={(q) => change({ q, before: '' })}
      />
      <Choices
        label={words.title}
        value={filters.status}
        options={options}
        onChange={(status) => change({ status, before: '' })}
      />
      <div className="mt-4">
        <AccountList filters={filters} onBefore={(before) => change({ before })} />
      </div>
    </>
  )
}

type ListProps = { filters: typeof DEFAULTS; onBefore(before: string): void }

function AccountList({ filters, onBefore }: ListProps) {
  const words = useWords(accountsWords)
  const columns = useColumns()
  const query = { ...filters, status: filters.status as Status, limit: ROWS }
  const found = useAsk('GET /v1/operator/accounts', { query })
  return (
    <Loaded
      query={found}
      shape={<Skeleton lines={6} />}
      empty={
        <Empty icon="people" title={words.none}>
          <p>{words.noneWhy}</p>
        </Empty>
      }
    >
      {({ data }) => (
        <div className="flex flex-col gap-4">
          <Table caption={words.title} columns={columns} rows={data} keyOf={({ id }) => id} />
          <BeforePager
            before={filters.before}
            next={data.length === ROWS ? data.at(-1)!.id : undefined}
            onBefore={onBefore}
          />
        </div>
      )}
    </Loaded>
  )
}

function useColumns(): Column<Found>[] {
  const words = useWords(accountsWords)
  const { day } = useFormats()
  return [
    {
      label: words.name,
      lead: true,
      show: (one) => (
        <Link
          href={`/operator/accounts/${one.id}`}
          className="link inline-flex min-h-11 items-center font-semibold wrap-anywhere"
        >
          {one.full_name}
        </Link>
      ),
    },
    {
      label: words.address,
      show: (one) => <Address>{one.email ?? one.phone_number ?? '–'}</Address>,
    },
    {
      label: words.since,
      show: (one) => <span className="whitespace-nowrap">{day(one.created_at)}</span>,
    },
    {
      label: words.balance,
      figure: true,
      show: (one) => <Money credits={one.balance_credits} />,
    },
    {
      label: words.status,
      show: ({ status }) => <Badge tone={STATUS_TONES[status]}>{words.statuses[status]}</Badge>,
    },
  ]
}

/** Breaks before the @ if it has to. */
function Address({ children }: { children: string }) {
  const [name, host] = children.split('@')
  return (
    <span className="wrap-anywhere">
      {name}
      {host !== undefined && (
        <>
          <wbr />@{host}
        </>
      )}
    </span>
  )
}

import { useAsk } from '../../../client/use-ask.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Filters, useFilters } from '../../../parts/filters.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Choices, Select } from '../../../parts/form/select.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useWords } from '../../../words/language.tsx'
import { BeforePager } from '../before-pager.tsx'
import { SearchForm } from '../search-form.tsx'
import { ActionList } from './actions.tsx'
import { refusalWords } from './refusal-words.ts'
import { RefusalList } from './refusals.tsx'
import { logWords } from './words.ts'

const ROWS = 50
const DEFAULTS = { target: '', operator: '', action: '', before: '' }

const TABS = ['actions', 'reads', 'refusals'] as const
type Tab = (typeof TABS)[number]

export default function Page() {
  const words = useWords(logWords)
  const refused = useWords(refusalWords)
  const [filters, change] = useFilters({ tab: 'actions' })
  const tab = TABS.find((one) => one === filters.tab) ?? 'actions'
  const labels = { actions: words.actions, reads: words.reads, refusals: refused.title }
  return (
    <>
      <PageTitle title={words.title} lead={words.lead} />
      <div className="mb-4">
        <Choices<Tab>
          label={words.title}
          value={tab}
          options={TABS.map((value) => ({ value, label: labels[value] }))}
          onChange={(next) => change({ tab: next })}
        />
      </div>
      {tab === 'refusals' ? <RefusalList /> : <ActionLog key={tab} reads={tab === 'reads'} />}
    </>
  )
}

function ActionLog({ reads }: { reads: boolean }) {
  const words = useWords(logWords)
  const [filters, change] = useFilters(DEFAULTS)
  return (
    <>
      <SearchForm
        label={words.search}
        maxLength={200}
        key={filters.target}
        start={filters.target}
        onSearch={(target) => change({ target, before: '' })}
      />
      <ActionFilters filters={filters} change={(more) => change({ before: '', ...more })} />
      <FilteredActions reads={reads} filters={filters} onBefore={(before) => change({ before })} />
    </>
  )
}

type FilterProps = { filters: typeof DEFAULTS; change(more: Partial<typeof DEFAULTS>): void }

function ActionFilters({ filters, change }: FilterProps) {
  const words = useWords(logWords)
  const operators = useAsk('GET /v1/operator/operators').data?.data ?? []
  return (
    <div className="mb-6">
      <Filters>
        <Select
          label={words.action}
          value={filters.action}
          options={[
            { value: '', label: words.any },
            ...Object.entries(words.kinds).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(action) => change({ action })}
        />
        <Select
          label={words.operator}
          value={filters.operator}
          options={[
            { value: '', label: words.anyone },
            ...operators.map((one) => ({
              value: one.account_id,
              label: one.email ?? one.phone_number ?? one.full_name,
            })),
          ]}
          onChange={(operator) => change({ operator })}
        />
      </Filters>
    </div>
  )
}

type ListProps = { reads: boolean; filters: typeof DEFAULTS; onBefore(before: string): void }

function FilteredActions({ reads, filters, onBefore }: ListProps) {
  const words = useWords(logWords)
  const query = { ...filters, limit: ROWS, ...(reads && { reads: 'true' as const }) }
  const actions = useAsk('GET /v1/operator/actions', { query })
  const isNarrowed = filters.target !== '' || filters.operator !== '' || filters.action !== ''
  return (
    <Loaded query={actions} shape={<Skeleton lines={8} />}>
      {({ data }) => (
        <div className="flex flex-col gap-4">
          {data.length === 0 ? (
            <Empty icon="clock" title={isNarrowed ? words.none : words.noneYet} />
          ) : (
            <ActionList actions={data} label={words.title} />
          )}
          <BeforePager
            before={filters.before}
            next={data.length === ROWS ? String(data.at(-1)!.seq) : undefined}
            onBefore={onBefore}
          />
        </div>
      )}
    </Loaded>
  )
}

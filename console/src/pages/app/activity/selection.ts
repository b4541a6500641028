import type { Answer, AskOptions } from '../../../client/ask.ts'
import { useFilters } from '../../../parts/filters.tsx'

export type Call = Answer<'GET /v1/activity'>['data'][number]
export type Daily = Answer<'GET /v1/activity/daily'>['data']
type Query = NonNullable<AskOptions<'GET /v1/activity/daily'>['query']>

export const PERIODS = ['today', 'week', 'fortnight', 'month', 'quarter', 'own'] as const
type Period = (typeof PERIODS)[number]
const DAYS: Record<Exclude<Period, 'own'>, number> = {
  today: 1,
  week: 7,
  fortnight: 14,
  month: 30,
  quarter: 90,
}

const NARROWING = ['model', 'kind', 'key', 'workspace', 'status'] as const
export type Narrowing = (typeof NARROWING)[number]

const DEFAULTS = {
  period: 'fortnight',
  from: '',
  to: '',
  model: '',
  kind: '',
  key: '',
  workspace: '',
  status: '',
  offset: '0',
}

/** The selected period and filters, all in the address. A change goes back to the first page. */
export function useSelection() {
  const [values, change] = useFilters(DEFAULTS)
  const period = (PERIODS as readonly string[]).includes(values.period)
    ? (values.period as Period)
    : 'fortnight'
  const days = daysOf(period, values)
  return {
    values: { ...values, period },
    days,
    offset: Number(values.offset) || 0,
    narrowing: NARROWING.filter((name) => values[name] !== ''),
    change: (changes: Partial<typeof DEFAULTS>) => change({ offset: '0', ...changes }),
    clear: () => change({ ...DEFAULTS, period: values.period, from: values.from, to: values.to }),
    /** The same query for list, sums and CSV; `without` leaves one filter out. */
    query: (without?: Narrowing) => queryOf(values, days, without),
  }
}
export type Selection = ReturnType<typeof useSelection>

function queryOf(
  values: typeof DEFAULTS,
  days: { from: string; to: string },
  without: Narrowing | undefined,
): Query {
  const valueOf = (name: Narrowing) => (name === without ? '' : values[name])
  const query = {
    ...days,
    model: valueOf('model'),
    kind: valueOf('kind'),
    key_id: valueOf('key'),
    workspace_id: valueOf('workspace'),
    status: valueOf('status'),
  }
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''))
}

/** Days in Tanzania, which is three hours ahead of UTC all year. */
export function dayInTanzania(daysAgo: number, now = Date.now()): string {
  return new Date(now + 3 * 3_600_000 - daysAgo * 86_400_000).toISOString().slice(0, 10)
}

function daysOf(period: Period, own: { from: string; to: string }): { from: string; to: string } {
  const today = dayInTanzania(0)
  if (period !== 'own') return { from: dayInTanzania(DAYS[period] - 1), to: today }
  return { from: own.from || dayInTanzania(13), to: own.to || today }
}

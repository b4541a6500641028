import { useFilters } from '../../../parts/filters.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Choices } from '../../../parts/form/select.tsx'
import { useWords } from '../../../words/language.tsx'
import { Attention } from './attention.tsx'
import { Business } from './business.tsx'
import { DAYS, periodsOf, type PeriodName } from './periods.ts'
import { overviewWords } from './words.ts'

export default function Page() {
  const words = useWords(overviewWords)
  const [filters, change] = useFilters({ period: 'month' })
  const names = Object.keys(DAYS) as PeriodName[]
  const period = names.find((one) => one === filters.period) ?? 'month'
  return (
    <>
      <PageTitle title={words.title} />
      <Attention />
      <Choices<PeriodName>
        label={words.period}
        value={period}
        options={names.map((value) => ({ value, label: words.periods[value] }))}
        onChange={(next) => change({ period: next })}
      />
      <Business {...periodsOf(DAYS[period])} />
    </>
  )
}

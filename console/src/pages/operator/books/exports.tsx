import { send, type Answer } from '../../../client/ask.ts'
import { saveFile } from '../../../client/save-file.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Filters, useFilters } from '../../../parts/filters.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Select } from '../../../parts/form/select.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useLanguage, useWords } from '../../../words/language.tsx'
import { monthsSince } from '../../app/billing/months.ts'
import { DetailList } from '../detail-list.tsx'
import { wordFor } from '../word-for.ts'
import { operatorWords } from '../words.ts'
import { booksWords } from './words.ts'

type Sums = Answer<'GET /v1/operator/exports/sums'>['data']

/** Two years are offered; the command `export` writes older months. */
const BEFORE_ALL = '2020-01-01T00:00:00Z'

export function Exports() {
  const words = useWords(booksWords)
  const { language } = useLanguage()
  const months = monthsSince(BEFORE_ALL)
  const [filters, change] = useFilters({ month: months[0]!.id })
  const sums = useAsk('GET /v1/operator/exports/sums', { query: { month: filters.month } })
  const name = (at: string) =>
    new Date(at).toLocaleDateString(language === 'sw' ? 'sw-TZ' : 'en-GB', {
      month: 'long',
      year: 'numeric',
      timeZone: 'Africa/Dar_es_Salaam',
    })
  return (
    <Section title={words.exports}>
      <Filters>
        <Select
          label={words.month}
          value={filters.month}
          options={months.map(({ id, from }) => ({ value: id, label: name(from) }))}
          onChange={(month) => change({ month })}
        />
      </Filters>
      <Loaded query={sums} shape={<Skeleton lines={6} />}>
        {({ data }) => <MonthSums sums={data} />}
      </Loaded>
      <div className="flex flex-wrap gap-2">
        <DownloadExport list="ledger" month={filters.month} />
        <DownloadExport list="payments" month={filters.month} />
      </div>
    </Section>
  )
}

function DownloadExport({ list, month }: { list: 'ledger' | 'payments'; month: string }) {
  const words = useWords(booksWords)
  const file = useForm({
    send: async () => {
      const response = await send(`GET /v1/operator/exports/${list}.csv`, { query: { month } })
      saveFile(await response.blob(), `mlango-${list}-${month}.csv`)
    },
  })
  return (
    <>
      <Button kind="plain" icon="download" busy={file.busy} onClick={() => file.submit()}>
        {words[list]}
      </Button>
      <FailureNotice error={file.error} />
    </>
  )
}

/** The same sums as in the files, to check them against. */
function MonthSums({ sums: { ledger, payments } }: { sums: Sums }) {
  const words = useWords(booksWords)
  const types = useWords(operatorWords).entries
  const { number, tzs } = useFormats()
  const signed = (amount: number) => `${amount > 0 ? '+' : ''}${number(amount, 6)}`
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <DetailList
        details={[
          [words.opening, number(ledger.opening_credits, 6)],
          ...ledger.movements.map(
            ({ type, entries, amount_credits: amount }) =>
              [`${wordFor(types, type)} (${number(entries)})`, signed(amount)] as const,
          ),
          [words.closing, number(ledger.closing_credits, 6)],
        ]}
      />
      <DetailList
        details={[
          [words.received, number(payments.count)],
          [words.money, tzs(payments.received_tzs)],
          [words.sold, number(payments.credits, 6)],
        ]}
      />
    </div>
  )
}

import { BackLink } from '../../../parts/back-link.tsx'
import { useState } from 'react'
import { Link } from 'wouter'
import { ask, type Answer } from '../../../client/ask.ts'
import { Form } from '../../../parts/form/form.tsx'
import { Field, FieldFrame, inputLook } from '../../../parts/form/field.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Tzs } from '../../../parts/money.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { PageTitle, Section } from '../../../parts/page-title.tsx'
import { Stat } from '../../../parts/stat.tsx'
import { Table, type Column } from '../../../parts/table.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { dayInTanzania } from '../../app/activity/selection.ts'
import { ReadsOnly } from '../reads-only.tsx'
import { useOperatorForm } from '../use-operator-form.ts'
import { operatorWords } from '../words.ts'
import { reconcileWords } from './statement-words.ts'
import { paymentsWords } from './words.ts'

type Comparison = Answer<'POST /v1/operator/payments/statement'>['data']
type Difference = Comparison['differences'][number]
const LARGEST_LETTERS = 4_000_000

export default function Page() {
  const words = useWords(reconcileWords)
  const payments = useWords(paymentsWords)
  const [compared, setCompared] = useState<Comparison>()
  return (
    <>
      <BackLink to="/operator/payments">{payments.back}</BackLink>
      <PageTitle title={words.title} lead={words.lead} />
      <ReadsOnly need="support" />
      <StatementForm onCompared={setCompared} />
      {compared && <ComparisonResult compared={compared} />}
    </>
  )
}

function StatementForm({ onCompared }: { onCompared(compared: Comparison | undefined): void }) {
  const words = useWords(reconcileWords)
  const [file, setFile] = useState<File>()
  const [from, setFrom] = useState(dayInTanzania(1))
  const [to, setTo] = useState(dayInTanzania(1))
  const compare = useOperatorForm({
    send: async () => {
      onCompared(undefined)
      const body = { csv: await file!.text(), from: startOf(from), to: startOf(dayAfter(to)) }
      return ask('POST /v1/operator/payments/statement', { body })
    },
    onDone: ({ data }) => onCompared(data),
  })
  const said = compare.error?.message ?? ''
  const isTooLarge = file !== undefined && file.size > LARGEST_LETTERS
  return (
    <div className="card mb-8 max-w-xl p-5">
      <Form
        form={compare}
        button={words.compare}
        kinds={{ ...compare.kinds, validation_error: words.unreadable(said) }}
        disabled={file === undefined || isTooLarge || from === '' || to === ''}
      >
        <FieldFrame label={words.file} error={isTooLarge ? words.tooLarge : undefined}>
          {({ id, describedBy, invalid }) => (
            <div
              className={`${inputLook} relative flex items-center gap-2 focus-within:outline-3 focus-within:outline-green`}
            >
              <Icon name="file" />
              <span className="min-w-0 wrap-anywhere">{file?.name ?? words.choose}</span>
              <input
                id={id}
                type="file"
                accept=".csv,text/csv,text/plain"
                aria-describedby={describedBy}
                aria-invalid={invalid}
                onChange={(event) => setFile(event.target.files?.[0])}
                // The browser's own label would be in the browser's language.
                className="absolute inset-0 cursor-pointer opacity-0"
              />
            </div>
          )}
        </FieldFrame>
        <div className="grid grid-cols-2 gap-3">
          <Field label={words.from} type="date" value={from} max={to} onChange={setFrom} />
          <Field label={words.to} type="date" value={to} min={from} onChange={setTo} />
        </div>
        <p className="text-sm text-soft">{words.days}</p>
      </Form>
    </div>
  )
}

/** Days in Tanzania, which is three hours ahead of UTC all year. */
const startOf = (day: string) => `${day}T00:00:00+03:00`
const dayAfter = (day: string) =>
  new Date(Date.parse(`${day}T12:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

function ComparisonResult({ compared }: { compared: Comparison }) {
  const words = useWords(reconcileWords)
  const { number } = useFormats()
  const columns = useColumns()
  return (
    <div className="flex flex-col gap-4">
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        <Stat label={words.rows}>{number(compared.rows)}</Stat>
        <Stat label={words.matched}>{number(compared.matched)}</Stat>
        <Stat label={words.theirs}>
          <Tzs amount={compared.statement_tzs} />
        </Stat>
        <Stat label={words.ours}>
          <Tzs amount={compared.own_tzs} />
        </Stat>
      </div>
      {compared.difference_count === 0 ? (
        <Notice tone="good">{words.agree}</Notice>
      ) : (
        <Section title={words.differences(number(compared.difference_count))}>
          <Table
            caption={words.differences(number(compared.difference_count))}
            columns={columns}
            rows={compared.differences}
            keyOf={(one) => `${one.kind} ${one.reference} ${one.line ?? ''}`}
          />
          {compared.differences.length < compared.difference_count && <p>{words.notAllShown}</p>}
        </Section>
      )}
    </div>
  )
}

function useColumns(): Column<Difference>[] {
  const words = useWords(reconcileWords)
  const payments = useWords(paymentsWords)
  const common = useWords(operatorWords)
  const { number } = useFormats()
  const money = (amount: number | undefined) =>
    amount === undefined ? common.none : <Tzs amount={amount} />
  return [
    { label: words.kind, lead: true, show: ({ kind }) => words.kinds[kind] },
    {
      label: payments.reference,
      show: ({ reference, payment_id: id }) =>
        id === undefined ? (
          <span className="wrap-anywhere">{reference}</span>
        ) : (
          <Link href={`/operator/payments/${id}`} className="link wrap-anywhere">
            {reference}
          </Link>
        ),
    },
    { label: words.line, figure: true, show: ({ line }) => (line ? number(line) : common.none) },
    { label: words.theirAmount, figure: true, show: (one) => money(one.statement_tzs) },
    { label: words.ourAmount, figure: true, show: (one) => money(one.own_tzs) },
  ]
}

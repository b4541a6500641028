import { useState } from 'react'
import { ask, type Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { DoneNotice } from '../../../parts/done-notice.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { Table, type Column } from '../../../parts/table.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { dayInTanzania } from '../../app/activity/selection.ts'
import { ActionDialog } from '../action-dialog.tsx'
import { useOperator } from '../operator.ts'
import { exchangeWords } from './exchange-words.ts'

type Rate = Answer<'GET /v1/operator/fx'>['data'][number]

/** The exchange rate of the dollar by day; used for margins only. */
export function ExchangeRates() {
  const words = useWords(exchangeWords)
  const { number, day, moment } = useFormats()
  const { may } = useOperator()
  const rates = useAsk('GET /v1/operator/fx', { query: { limit: 12 } })
  const [isSetting, setSetting] = useState(false)
  const [done, setDone] = useState('')
  const columns: Column<Rate>[] = [
    { label: words.day, lead: true, show: (rate) => day(`${rate.day}T12:00:00+03:00`) },
    { label: words.rate, figure: true, show: (rate) => number(rate.tzs_per_usd, 6) },
    { label: words.setAt, show: (rate) => moment(rate.set_at) },
  ]
  return (
    <Section title={words.title}>
      <p className="max-w-prose text-soft">{words.lead}</p>
      <DoneNotice>{done}</DoneNotice>
      {may('owner') && (
        <div>
          <Button kind="plain" icon="edit" onClick={() => setSetting(true)}>
            {words.set}
          </Button>
        </div>
      )}
      <Loaded
        query={rates}
        shape={<Skeleton lines={3} />}
        empty={<p className="card p-4 text-soft">{words.none}</p>}
      >
        {({ data }) => (
          <Table caption={words.title} columns={columns} rows={data} keyOf={(rate) => rate.day} />
        )}
      </Loaded>
      {isSetting && (
        <SetRate onDone={() => setDone(words.done)} onClose={() => setSetting(false)} />
      )}
    </Section>
  )
}

function SetRate({ onDone, onClose }: { onDone(): void; onClose(): void }) {
  const words = useWords(exchangeWords)
  const [day, setDay] = useState(dayInTanzania(0))
  const [text, setText] = useState('')
  const rate = Number(text.replaceAll(/[\s,]/g, ''))
  const isRight = rate > 0
  return (
    <ActionDialog
      title={words.setTitle}
      why={words.setWhy}
      button={words.set}
      harmless
      disabled={!isRight || day === ''}
      fields={{ tzs_per_usd: rate }}
      perform={(given) => ask('PUT /v1/operator/fx/{day}', { path: { day }, ...given })}
      renews={['GET /v1/operator/fx', 'GET /v1/operator/overview', 'GET /v1/operator/series']}
      onDone={onDone}
      onClose={onClose}
    >
      <Field label={words.day} type="date" value={day} onChange={setDay} max={dayInTanzania(-1)} />
      <Field
        label={words.rate}
        error={text !== '' && !isRight ? words.wrong : undefined}
        value={text}
        onChange={setText}
        inputMode="decimal"
        maxLength={20}
        autoComplete="off"
      />
    </ActionDialog>
  )
}

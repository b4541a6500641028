import { send, type Answer } from '../../../../client/ask.ts'
import { useStored } from '../../../../client/device-storage.ts'
import { TextArea } from '../../../../parts/form/field.tsx'
import { useFormats } from '../../../../words/format.ts'
import { useWords } from '../../../../words/language.tsx'
import { Table } from '../../../../parts/table.tsx'
import { embeddingsWords } from './words.ts'
import { textEstimate } from '../estimate.ts'
import { TryLayout } from '../layout.tsx'
import { ModelSelect, useModelChoice } from '../model-choice.tsx'
import { OrderForm } from '../order-form.tsx'
import { OutcomeCharge } from '../outcome-charge.tsx'
import { useOrder } from '../use-order.ts'
import { tryWords } from '../words.ts'

type Row = { text: string; likeness: number; vector: number[] }

export default function EmbeddingsPage() {
  const words = useWords(embeddingsWords)
  const common = useWords(tryWords)
  const choice = useModelChoice('embeddings', (model) =>
    model.output_modalities.includes('embeddings'),
  )
  const [draft, setDraft] = useStored('embeddings', '')
  const order = useOrder<Row[]>('embeddings')
  const input = linesOf(draft || words.example)
  const body = { model: choice.model?.id ?? '', input, encoding_format: 'float' as const }
  const estimate = textEstimate(choice.model, { text: input.join(' '), mostTokens: 0 })
  const run = () =>
    void order.run(
      body,
      (attempt) => send('POST /v1/embeddings', { body, ...attempt }),
      async (response) => rowsOf(input, (await response.json()) as Answer<'POST /v1/embeddings'>),
    )
  const { outcome } = order
  return (
    <TryLayout
      choice={choice}
      tab="embeddings"
      call={{ path: '/v1/embeddings', body }}
      settings={<ModelSelect choice={choice} />}
    >
      <div className="flex flex-col gap-4">
        <OrderForm
          order={order}
          estimate={estimate}
          button={words.compare}
          disabled={linesOf(draft).length === 0}
          onRun={run}
        >
          <p className="text-soft">{words.lead}</p>
          <TextArea
            label={words.input}
            placeholder={words.example}
            value={draft}
            onChange={setDraft}
          />
        </OrderForm>
        {outcome && !order.busy && (
          <section aria-label={common.result} aria-live="polite" className="flex flex-col gap-3">
            <SimilarityBar rows={outcome.result} />
            <OutcomeCharge outcome={outcome} onKnown={order.noteCharge} />
          </section>
        )}
      </div>
    </TryLayout>
  )
}

function SimilarityBar({ rows }: { rows: Row[] }) {
  const words = useWords(embeddingsWords)
  const { number, percent } = useFormats()
  return (
    <>
      <Table
        caption={words.likeness}
        rows={rows}
        keyOf={(row) => `${rows.indexOf(row)}`}
        columns={[
          { label: words.text, lead: true, show: (row) => row.text },
          {
            label: words.likeness,
            figure: true,
            show: (row) => percent(Math.round(row.likeness * 1_000) / 10),
          },
          {
            label: words.first,
            show: firstNumbers,
          },
        ]}
      />
      <p className="text-sm text-soft">
        {words.facts(number(rows.length), number(rows[0]?.vector.length ?? 0))}
      </p>
    </>
  )
}

function firstNumbers({ vector }: Row) {
  const shown = vector.slice(0, 3).map((value) => value.toFixed(3))
  return <code className="font-mono text-sm break-all">{shown.join(', ')}…</code>
}

const linesOf = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function rowsOf(input: string[], { data }: Answer<'POST /v1/embeddings'>): Row[] {
  const vectors = data.map(({ embedding }) => embedding as number[])
  return input.map((text, at) => ({
    text,
    vector: vectors[at]!,
    likeness: cosine(vectors[0]!, vectors[at]!),
  }))
}

function cosine(one: number[], other: number[]): number {
  const dot = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * b[at]!, 0)
  const length = Math.sqrt(dot(one, one) * dot(other, other))
  return length === 0 ? 0 : dot(one, other) / length
}

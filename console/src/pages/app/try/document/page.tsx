import { send, type Answer } from '../../../../client/ask.ts'
import { useRemembered, useStored } from '../../../../client/device-storage.ts'
import { Field, TextArea } from '../../../../parts/form/field.tsx'
import { Markdown } from '../../../../parts/markdown.tsx'
import { Skeleton } from '../../../../parts/skeleton.tsx'
import type { SampleCall } from '../../../../samples/types.ts'
import { useWords } from '../../../../words/language.tsx'
import { FILE_KINDS, kindOf, plainName, reads } from './kinds.ts'
import { documentWords } from './words.ts'
import { textEstimate } from '../estimate.ts'
import { FileChoice } from '../file-choice.tsx'
import { TryLayout } from '../layout.tsx'
import { ModelSelect, useModelChoice } from '../model-choice.tsx'
import { OrderForm } from '../order-form.tsx'
import { OutcomeCharge } from '../outcome-charge.tsx'
import { useOrder } from '../use-order.ts'
import { tryWords } from '../words.ts'

const PLAIN = { prompt: '', maxTokens: '' }

export default function DocumentPage() {
  const words = useWords(documentWords)
  const common = useWords(tryWords)
  const [settings, setSettings] = useStored('document', PLAIN)
  const [file, setFile] = useRemembered<File | undefined>('file', undefined)
  const kind = (file && kindOf(file)) ?? 'document'
  const { route, tokens } = FILE_KINDS[kind]
  const choice = useModelChoice(kind, reads(kind))
  const order = useOrder<string>('document')
  const fields = {
    model: choice.model?.id ?? '',
    prompt: settings.prompt.trim() || words.example,
    ...(settings.maxTokens === '' ? {} : { max_tokens: settings.maxTokens }),
  }
  const name = plainName(file?.name ?? 'hati.pdf')
  const call: SampleCall = {
    path: route.slice('POST '.length) as `/v1/${string}`,
    form: { fields, file: name, type: file?.type ?? 'application/pdf' },
  }
  const estimate = textEstimate(choice.model, {
    text: fields.prompt,
    extraTokens: tokens,
    mostTokens: settings.maxTokens === '' ? undefined : Number(settings.maxTokens),
  })
  const run = () => {
    if (file === undefined) return
    void order.run(
      { route, fields, file: [file.name, file.size, file.lastModified] },
      (attempt) => send(route, { body: formOf(fields, file, name), ...attempt }),
      async (response) => ((await response.json()) as Answer<typeof route>).data.text,
    )
  }
  const { outcome } = order
  return (
    <TryLayout
      choice={choice}
      tab="document"
      call={call}
      settings={
        <>
          <ModelSelect choice={choice} />
          <Field
            label={common.maxTokens}
            placeholder={common.modelChooses}
            type="number"
            inputMode="numeric"
            min={1}
            value={settings.maxTokens}
            onChange={(maxTokens) => setSettings({ ...settings, maxTokens })}
          />
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <OrderForm
          order={order}
          estimate={estimate}
          button={words.read}
          disabled={file === undefined || settings.prompt.trim() === ''}
          onRun={run}
        >
          <FileChoice file={file} onChange={setFile} />
          <TextArea
            label={words.prompt}
            placeholder={words.example}
            hint={common.twice}
            rows={2}
            value={settings.prompt}
            onChange={(prompt) => setSettings({ ...settings, prompt })}
          />
        </OrderForm>
        {order.busy && <Skeleton lines={3} />}
        {outcome && !order.busy && (
          <section
            aria-label={common.result}
            aria-live="polite"
            className="card flex flex-col gap-3 border-l-4 border-l-green p-4"
          >
            <Markdown text={outcome.result} />
            <OutcomeCharge outcome={outcome} onKnown={order.noteCharge} />
          </section>
        )}
      </div>
    </TryLayout>
  )
}

function formOf(fields: Record<string, string>, file: File, name: string): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  form.append('file', file, name)
  return form
}

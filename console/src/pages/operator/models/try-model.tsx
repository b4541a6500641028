import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { TextArea } from '../../../parts/form/field.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { DetailList } from '../detail-list.tsx'
import { useOperatorForm } from '../use-operator-form.ts'
import { tryWords } from './try-words.ts'

/** One short question at our own cost, also to a model that is switched off. */
export function TryModel({ id, onClose }: { id: string; onClose(): void }) {
  const words = useWords(tryWords)
  const { number } = useFormats()
  const [prompt, setPrompt] = useState(words.example)
  const trial = useOperatorForm({
    send: () => ask('POST /v1/operator/models/{id}/try', { path: { id }, body: { prompt } }),
  })
  const answer = trial.result?.data
  return (
    <Dialog title={words.title(id)} onClose={onClose}>
      <p className="text-soft">{words.why}</p>
      <Form form={trial} button={words.send} kinds={trial.kinds} disabled={prompt.trim() === ''}>
        <TextArea
          label={words.question}
          value={prompt}
          onChange={setPrompt}
          maxLength={1000}
          rows={3}
        />
      </Form>
      {answer && (
        <div role="status" className="flex flex-col gap-3">
          <p className="rounded-sm bg-sunken p-3 wrap-anywhere whitespace-pre-wrap">
            {answer.text || words.silent}
          </p>
          <DetailList
            details={[
              [words.upstream, answer.upstream],
              [words.latency, words.seconds(number(answer.latency_ms / 1000, 2))],
              [words.cost, `USD ${answer.cost.usd} (${words.bases[answer.cost.basis]})`],
            ]}
          />
        </div>
      )}
    </Dialog>
  )
}

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { TextArea } from '../../../parts/field.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useActSentences } from '../act-dialog.tsx'
import { Facts } from '../facts.tsx'
import { useProven } from '../proof.tsx'
import { tryWords } from './try-words.ts'

/** One short question at our own cost, also to a model that is switched off. */
export function TryModel({ id, onClose }: { id: string; onClose(): void }) {
  const words = useWords(tryWords)
  const proven = useProven()
  const { number } = useFormats()
  const [prompt, setPrompt] = useState(words.example)
  const trial = useMutation({
    mutationFn: () =>
      proven(() => ask('POST /v1/operator/models/{id}/try', { path: { id }, body: { prompt } })),
  })
  const sentences = useActSentences(trial.error)
  const answer = trial.data?.data
  return (
    <Dialog title={words.title(id)} onClose={onClose}>
      <p className="text-soft">{words.why}</p>
      <form
        noValidate
        onSubmit={(event) => (event.preventDefault(), trial.mutate())}
        className="flex flex-col gap-4"
      >
        <TextArea
          label={words.question}
          value={prompt}
          onChange={setPrompt}
          maxLength={1000}
          rows={3}
        />
        <FailureNotice error={trial.error} kinds={sentences} />
        <Button type="submit" wide busy={trial.isPending} disabled={prompt.trim() === ''}>
          {words.send}
        </Button>
      </form>
      {answer && (
        <div role="status" className="flex flex-col gap-3">
          <p className="rounded-sm bg-sunken p-3 wrap-anywhere whitespace-pre-wrap">
            {answer.text || words.silent}
          </p>
          <Facts
            facts={[
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

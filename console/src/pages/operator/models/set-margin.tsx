import { useState } from 'react'
import { abilityWords } from '../../../catalog/models.ts'
import { ask } from '../../../client/ask.ts'
import { Field } from '../../../parts/form/field.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog, type Given } from '../action-dialog.tsx'
import { wordFor } from '../word-for.ts'
import { priceWords } from './price-words.ts'

type Props = {
  /** One model, or all models of this kind without a margin of their own. */
  target: { model: string; modality?: undefined } | { modality: string; model?: undefined }
  now: string | undefined
  onDone(said: string): void
  onClose(): void
}

export function SetMargin({ target, now, onDone, onClose }: Props) {
  const words = useWords(priceWords)
  const abilities = useWords(abilityWords)
  const { number } = useFormats()
  const [text, setText] = useState(now ?? '')
  const margin = text.trim() === '' ? null : text.trim()
  const isRight =
    margin === null || (/^\d{1,3}(\.\d{1,6})?$/.test(margin) && Number(margin) >= 0.01)
  const change = async ({ body: { reason }, idempotencyKey }: Given) => {
    const body = { margin, reason }
    if (target.model !== undefined) {
      const path = { id: target.model }
      return ask('PATCH /v1/operator/models/{id}', { path, body, idempotencyKey })
    }
    const path = { modality: target.modality }
    return ask('PATCH /v1/operator/margins/{modality}', { path, body, idempotencyKey })
  }
  return (
    <ActionDialog
      title={words.setTitle(target.model ?? wordFor(abilities, target.modality))}
      why={words.setWhy}
      button={words.setDo}
      disabled={!isRight}
      perform={change}
      renews={[
        'GET /v1/operator/models',
        'GET /v1/operator/margins',
        'GET /v1/operator/requests',
        'GET /v1/operator/attention',
      ]}
      onDone={({ data }) =>
        onDone('prices_changed' in data ? words.setDone(number(data.prices_changed)) : words.setOne)
      }
      onWait={onDone}
      onClose={onClose}
    >
      <Field
        label={words.setLabel}
        hint={words.setHint}
        error={isRight ? undefined : words.setWrong}
        value={text}
        onChange={setText}
        inputMode="decimal"
        maxLength={12}
        autoComplete="off"
      />
    </ActionDialog>
  )
}

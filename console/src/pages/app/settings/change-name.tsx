import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { updateUser } from '../../../client/session.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { commonWords } from '../../../words/common.ts'
import { useWords } from '../../../words/language.tsx'
import { settingsWords } from './words.ts'

export function ChangeName({ name: before, onClose }: { name: string; onClose(): void }) {
  const words = useWords(settingsWords)
  const common = useWords(commonWords)
  const [name, setName] = useState(before)
  const form = useForm({
    send: () => ask('PATCH /v1/me', { body: { full_name: name.trim() } }),
    onDone: ({ data }) => {
      updateUser(data)
      onClose()
    },
  })
  return (
    <Dialog title={words.name} onClose={onClose}>
      <Form form={form} button={common.save} disabled={name.trim() === ''}>
        <Field
          label={words.name}
          value={name}
          onChange={setName}
          maxLength={120}
          autoComplete="name"
        />
      </Form>
    </Dialog>
  )
}

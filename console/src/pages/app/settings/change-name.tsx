import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { updateUser } from '../../../client/session.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Field } from '../../../parts/field.tsx'
import { commonWords } from '../../../words/common.ts'
import { useWords } from '../../../words/language.tsx'
import { settingsWords } from './words.ts'

export function ChangeName({ name: before, onClose }: { name: string; onClose(): void }) {
  const words = useWords(settingsWords)
  const common = useWords(commonWords)
  const [name, setName] = useState(before)
  const save = useMutation({
    mutationFn: () => ask('PATCH /v1/me', { body: { full_name: name.trim() } }),
    onSuccess: ({ data }) => (updateUser(data), onClose()),
  })
  return (
    <Dialog title={words.name} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => (event.preventDefault(), save.mutate())}
        className="flex flex-col gap-4"
      >
        <Field
          label={words.name}
          value={name}
          onChange={setName}
          maxLength={120}
          autoComplete="name"
        />
        <FailureNotice error={save.error} />
        <Button type="submit" wide busy={save.isPending} disabled={name.trim() === ''}>
          {common.save}
        </Button>
      </form>
    </Dialog>
  )
}

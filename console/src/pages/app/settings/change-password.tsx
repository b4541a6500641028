import { useState } from 'react'
import { useFacts } from '../../../catalog/rate.ts'
import { ask } from '../../../client/ask.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { commonWords } from '../../../words/common.ts'
import { useWords } from '../../../words/language.tsx'
import { SecondFactorField, useFactorForm } from '../second-factor/second-factor.tsx'
import { securityWords } from './security-words.ts'

export function ChangePassword({ onDone, onClose }: { onDone(): void; onClose(): void }) {
  const words = useWords(securityWords)
  const common = useWords(commonWords)
  const social = useFacts().data?.data.sign_in
  const [current, setCurrent] = useState('')
  const [fresh, setFresh] = useState('')
  const form = useFactorForm({
    send: ({ mfa_code }) =>
      ask('POST /v1/me/password', {
        body: {
          ...(current && { current_password: current }),
          ...(mfa_code && { mfa_code }),
          new_password: fresh,
        },
      }),
    renews: ['GET /v1/me/sessions'],
    onDone: () => {
      onDone()
      onClose()
    },
  })
  const isWrong = {
    current: form.wrongField === 'current_password',
    fresh: form.wrongField === 'new_password',
  }
  return (
    <Dialog title={words.passwordChange} onClose={onClose}>
      <Form
        form={form}
        button={common.save}
        kinds={form.kinds}
        isSaid={isWrong.current || isWrong.fresh}
        disabled={fresh.length < 8}
      >
        <Field
          label={words.current}
          type="password"
          value={current}
          onChange={setCurrent}
          autoComplete="current-password"
          hint={social?.google || social?.github ? words.social : undefined}
          error={isWrong.current ? words.currentWrong : undefined}
        />
        <Field
          label={words.fresh}
          type="password"
          value={fresh}
          onChange={setFresh}
          autoComplete="new-password"
          hint={words.freshHint}
          error={isWrong.fresh ? words.freshEasy : undefined}
        />
        <SecondFactorField form={form} />
      </Form>
    </Dialog>
  )
}

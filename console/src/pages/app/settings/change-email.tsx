import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { updateUser } from '../../../client/session.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { CodeForm } from '../../../parts/form/code-form.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { useWords } from '../../../words/language.tsx'
import { SecondFactorField, useFactorForm } from '../second-factor/second-factor.tsx'
import { settingsWords } from './words.ts'

/** The address changes only when the code that was sent to it comes back. */
export function ChangeEmail({ onClose }: { onClose(): void }) {
  const words = useWords(settingsWords)
  const [sentTo, setSentTo] = useState<string>()
  return (
    <Dialog title={words.email} onClose={onClose}>
      {sentTo === undefined ? (
        <EmailForm onSent={setSentTo} />
      ) : (
        <EmailCodeForm email={sentTo} onDone={onClose} />
      )}
    </Dialog>
  )
}

function EmailForm({ onSent }: { onSent(email: string): void }) {
  const words = useWords(settingsWords)
  const [email, setEmail] = useState('')
  const form = useFactorForm({
    send: (factor) => ask('POST /v1/me/email', { body: { email: email.trim(), ...factor } }),
    onDone: ({ data }) => onSent(data.email),
  })
  return (
    <Form
      form={form}
      button={words.sendCode}
      kinds={{ ...form.kinds, conflict: words.emailTaken }}
      isSaid={form.wrongField === 'email'}
      disabled={!email.includes('@')}
    >
      <Field
        label={words.newEmail}
        type="email"
        value={email}
        onChange={setEmail}
        autoComplete="email"
        autoCapitalize="none"
        error={form.wrongField === 'email' ? words.emailWrong : undefined}
      />
      <SecondFactorField form={form} />
    </Form>
  )
}

function EmailCodeForm({ email, onDone }: { email: string; onDone(): void }) {
  const words = useWords(settingsWords)
  return (
    <>
      <p>{words.codeSent(email)}</p>
      <CodeForm
        label={words.code}
        kinds={{ conflict: words.emailTaken }}
        send={async (code) => {
          await ask('POST /v1/me/email/verify', { body: { email, code } })
          updateUser((await ask('GET /v1/me')).data)
        }}
        onDone={onDone}
      />
    </>
  )
}

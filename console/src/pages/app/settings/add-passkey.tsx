import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { updateUser } from '../../../client/session.ts'
import { Field } from '../../../parts/form/field.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { useWords } from '../../../words/language.tsx'
import { asPasskey, makePasskey, usePasskeyLibrary } from '../second-factor/passkey.ts'
import { passkeyWords } from '../second-factor/passkey-words.ts'
import { SecondFactorField, useFactorForm } from '../second-factor/second-factor.tsx'
import { settingsPasskeyWords } from './passkey-words.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

/** A name and the password, then the browser's own question, then the first recovery codes. */
export function AddPasskey({ onDone }: { onDone(): void }) {
  const words = useWords(settingsPasskeyWords)
  const passkey = useWords(passkeyWords)
  const [name, setName] = useState(words.newName)
  const [codes, setCodes] = useState<string[]>()
  usePasskeyLibrary()
  const form = useFactorForm({
    send: async (factor) => {
      const options = ask('POST /v1/me/passkeys/options', { body: factor })
      const { data } = await asPasskey(options)
      const credential = await makePasskey(data)
      const body = { name: name.trim(), credential }
      const added = await asPasskey(ask('POST /v1/me/passkeys', { body }))
      updateUser((await ask('GET /v1/me')).data)
      return added
    },
    renews: ['GET /v1/me/passkeys', 'GET /v1/me/mfa'],
    onDone: ({ data }) => (data.recovery_codes ? setCodes(data.recovery_codes) : onDone()),
  })
  if (codes) return <RecoveryCodes codes={codes} onClose={onDone} />
  return (
    <Form
      form={form}
      button={words.add}
      kinds={{ ...passkey.kinds, ...form.kinds, conflict: words.tooMany }}
      disabled={name.trim() === ''}
    >
      <Field
        label={words.name}
        hint={words.nameHint}
        value={name}
        onChange={setName}
        maxLength={60}
      />
      <SecondFactorField form={form} />
    </Form>
  )
}

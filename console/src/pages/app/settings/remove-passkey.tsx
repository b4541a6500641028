import { useState } from 'react'
import { useFacts } from '../../../catalog/rate.ts'
import { ask, type Answer } from '../../../client/ask.ts'
import { updateUser, useSession } from '../../../client/session.ts'
import { ConfirmDialog } from '../../../parts/form/confirm-dialog.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { useWords } from '../../../words/language.tsx'
import { SecondFactorField, useFactorForm } from '../second-factor/second-factor.tsx'
import { settingsPasskeyWords } from './passkey-words.ts'
import { settingsWords } from './words.ts'

export type Passkey = Answer<'GET /v1/me/passkeys'>['data'][number]

type Props = { passkey: Passkey; isLast: boolean; onClose(): void; onDone(): void }

export function RemovePasskey({ passkey, isLast, onClose, onDone }: Props) {
  const words = useWords(settingsPasskeyWords)
  const settings = useWords(settingsWords)
  const social = useFacts().data?.data.sign_in
  const { user } = useSession()
  const [password, setPassword] = useState('')
  const form = useFactorForm({
    send: async (factor) => {
      const body = { ...(password && { password }), ...factor }
      await ask('DELETE /v1/me/passkeys/{id}', { path: { id: passkey.id }, body })
      updateUser((await ask('GET /v1/me')).data)
    },
    renews: ['GET /v1/me/passkeys', 'GET /v1/me/mfa'],
    onDone: () => (onClose(), onDone()),
  })
  const isWrong = form.wrongField === 'password'
  const turnsOff = isLast && user?.mfa_method === 'passkey'
  return (
    <ConfirmDialog
      title={`${words.remove}: ${passkey.name}`}
      why={turnsOff ? words.removeLastWhy : words.removeWhy}
      button={words.remove}
      form={form}
      kinds={{ forbidden: words.enterAgain }}
      isSaid={isWrong}
      onClose={onClose}
    >
      <Field
        label={settings.password}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        hint={social?.google || social?.github ? settings.passwordSocial : undefined}
        error={isWrong ? settings.passwordWrong : undefined}
      />
      <SecondFactorField form={form} />
    </ConfirmDialog>
  )
}

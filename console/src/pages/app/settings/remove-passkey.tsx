import { ask, type Answer } from '../../../client/ask.ts'
import { updateUser, useSession } from '../../../client/session.ts'
import { ConfirmDialog } from '../../../parts/form/confirm-dialog.tsx'
import { useWords } from '../../../words/language.tsx'
import { SecondFactorField, useFactorForm } from '../second-factor/second-factor.tsx'
import { settingsPasskeyWords } from './passkey-words.ts'

export type Passkey = Answer<'GET /v1/me/passkeys'>['data'][number]

type Props = { passkey: Passkey; isLast: boolean; onClose(): void; onDone(): void }

export function RemovePasskey({ passkey, isLast, onClose, onDone }: Props) {
  const words = useWords(settingsPasskeyWords)
  const { user } = useSession()
  const form = useFactorForm({
    send: async (body) => {
      await ask('DELETE /v1/me/passkeys/{id}', { path: { id: passkey.id }, body })
      updateUser((await ask('GET /v1/me')).data)
    },
    renews: ['GET /v1/me/passkeys', 'GET /v1/me/mfa'],
    onDone: () => (onClose(), onDone()),
  })
  const turnsOff = isLast && user?.mfa_method === 'passkey'
  return (
    <ConfirmDialog
      title={`${words.remove}: ${passkey.name}`}
      why={turnsOff ? words.removeLastWhy : words.removeWhy}
      button={words.remove}
      form={form}
      kinds={form.kinds}
      onClose={onClose}
    >
      <SecondFactorField form={form} />
    </ConfirmDialog>
  )
}

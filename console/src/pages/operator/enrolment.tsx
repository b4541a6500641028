import { useState } from 'react'
import { ask } from '../../client/ask.ts'
import { useAskAgain } from '../../client/use-ask.ts'
import { Button } from '../../parts/button.tsx'
import { Form } from '../../parts/form/form.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { useWords } from '../../words/language.tsx'
import { SecondFactorField, useFactorForm } from '../app/second-factor/second-factor.tsx'
import { AddPasskey } from '../app/settings/add-passkey.tsx'
import { EnrolAuthenticator } from '../app/settings/enrol-authenticator.tsx'
import { settingsPasskeyWords } from '../app/settings/passkey-words.ts'
import { RecoveryCodes } from '../app/settings/recovery-codes.tsx'
import { operatorWords } from './words.ts'

/** Before the first page: a passkey, or an authenticator app with its first code; recovery codes. */
export default function Enrolment() {
  const words = useWords(operatorWords)
  const again = useAskAgain()
  const [secret, setSecret] = useState<{ secret: string; uri: string }>()
  const [codes, setCodes] = useState<string[]>()
  const [byApp, setByApp] = useState(false)
  const passkeys = useWords(settingsPasskeyWords)
  const done = () => void again('GET /v1/operator/me')
  return (
    <>
      <PageTitle title={words.enrolTitle} lead={words.enrolLead} />
      <div className="card flex max-w-xl flex-col gap-4 p-5">
        {codes ? (
          <RecoveryCodes codes={codes} onClose={done} />
        ) : secret ? (
          <EnrolAuthenticator secret={secret} onCodes={setCodes} />
        ) : byApp ? (
          <StartEnrolment onSecret={setSecret} />
        ) : (
          <>
            <p>{passkeys.lead}</p>
            <AddPasskey onDone={done} />
            <Button kind="quiet" onClick={() => setByApp(true)}>
              {words.enrolByApp}
            </Button>
          </>
        )}
      </div>
    </>
  )
}

function StartEnrolment({ onSecret }: { onSecret(secret: { secret: string; uri: string }): void }) {
  const words = useWords(operatorWords)
  const form = useFactorForm({
    send: (factor) => ask('PATCH /v1/me', { body: { mfa_method: 'totp', ...factor } }),
    onDone: ({ data }) => data.totp && onSecret(data.totp),
  })
  return (
    <Form form={form} button={words.enrolStart} icon="shield">
      <SecondFactorField form={form} />
    </Form>
  )
}

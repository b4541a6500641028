import { useState } from 'react'
import { ask } from '../../client/ask.ts'
import { useAskAgain } from '../../client/use-ask.ts'
import { Form } from '../../parts/form/form.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { useWords } from '../../words/language.tsx'
import { SecondFactorField, useFactorForm } from '../app/second-factor/second-factor.tsx'
import { EnrolAuthenticator } from '../app/settings/enrol-authenticator.tsx'
import { RecoveryCodes } from '../app/settings/recovery-codes.tsx'
import { FreshCodeField } from './fresh-code.tsx'
import { operatorWords } from './words.ts'

/** Before the first page: an authenticator app, its first code, and the recovery codes. */
export function Enrolment() {
  const words = useWords(operatorWords)
  const again = useAskAgain()
  const [secret, setSecret] = useState<{ secret: string; uri: string }>()
  const [codes, setCodes] = useState<string[]>()
  return (
    <>
      <PageTitle title={words.enrolTitle} lead={words.enrolLead} />
      <div className="card flex max-w-xl flex-col gap-4 p-5">
        {codes ? (
          <RecoveryCodes codes={codes} onClose={() => void again('GET /v1/operator/me')} />
        ) : secret ? (
          <EnrolAuthenticator secret={secret} onCodes={setCodes} />
        ) : (
          <StartEnrolment onSecret={setSecret} />
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

/** For a session that has not passed the second factor yet. */
export function FirstCode() {
  const words = useWords(operatorWords)
  const again = useAskAgain()
  return (
    <>
      <PageTitle title={words.proofTitle} lead={words.proofFirst} />
      <div className="card max-w-xl p-5">
        <FreshCodeField onGiven={() => void again('GET /v1/operator/me')} />
      </div>
    </>
  )
}

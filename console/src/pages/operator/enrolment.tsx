import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../client/ask.ts'
import { useAskAgain } from '../../client/use-ask.ts'
import { Button } from '../../parts/button.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { PageTitle } from '../../parts/page-title.tsx'
import { useWords } from '../../words/language.tsx'
import { SecondFactor, useSecondFactor } from '../app/second-factor/second-factor.tsx'
import { Enrol } from '../app/settings/enrol.tsx'
import { RecoveryCodes } from '../app/settings/recovery-codes.tsx'
import { ProofCode } from './proof.tsx'
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
          <Enrol secret={secret} onCodes={setCodes} />
        ) : (
          <Start onSecret={setSecret} />
        )}
      </div>
    </>
  )
}

function Start({ onSecret }: { onSecret(secret: { secret: string; uri: string }): void }) {
  const words = useWords(operatorWords)
  const factor = useSecondFactor()
  const start = useMutation({
    mutationFn: () => ask('PATCH /v1/me', { body: { mfa_method: 'totp', ...factor.body } }),
    onSuccess: ({ data }) => data.totp && onSecret(data.totp),
    onError: factor.take,
  })
  return (
    <>
      <SecondFactor factor={factor} error={start.error} />
      {!factor.isAsked && <FailureNotice error={start.error} />}
      <Button icon="shield" wide busy={start.isPending} onClick={() => start.mutate()}>
        {words.enrolStart}
      </Button>
    </>
  )
}

/** For a session that has not passed the second factor yet. */
export function FirstProof() {
  const words = useWords(operatorWords)
  const again = useAskAgain()
  return (
    <>
      <PageTitle title={words.proofTitle} lead={words.proofFirst} />
      <div className="card max-w-xl p-5">
        <ProofCode onGiven={() => void again('GET /v1/operator/me')} />
      </div>
    </>
  )
}

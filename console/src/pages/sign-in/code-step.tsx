import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../client/ask.ts'
import { Button } from '../../parts/button.tsx'
import { CodeField } from '../../parts/code-field.tsx'
import { useFailureSentence } from '../../parts/failure-notice.tsx'
import { Field } from '../../parts/field.tsx'
import { useWords } from '../../words/language.tsx'
import { useEntering } from './entering.ts'
import type { Pending } from './pending.ts'
import { Resend } from './resend.tsx'
import { Sheet } from './sheet.tsx'
import { signInWords } from './words.ts'

type Props = { pending: Pending; setPending(pending: Pending | undefined): void }

/** Six digits of a message or of an authenticator app; in place of the latter a recovery code. */
export function CodeStep({ pending, setPending }: Props) {
  const words = useWords(signInWords)
  const sentence = useFailureSentence()
  const enter = useEntering(setPending)
  const [code, setCode] = useState('')
  const [recovering, setRecovering] = useState(false)
  const isApp = pending.channel === 'totp'
  const verify = useMutation({
    mutationFn: (digits: string) =>
      ask('POST /v1/auth/otp/verify', { body: verification(pending, digits) }),
    onSuccess: ({ data }) => enter(data, pending.identifier),
    onError: () => setCode(''),
  })
  const error = verify.isError ? sentence(verify.error) : undefined
  return (
    <Sheet
      title={pending.purpose === 'login_mfa' ? words.secondTitle : words.codeTitle}
      lead={isApp ? words.codeApp : words.codeSent(pending.shown)}
      onSubmit={() => verify.mutate(code.trim().toUpperCase())}
    >
      {recovering ? (
        <Field
          label={words.recoveryLabel}
          hint={words.recoveryHint}
          value={code}
          onChange={setCode}
          error={error}
          autoComplete="off"
          autoCapitalize="characters"
        />
      ) : (
        <CodeField
          label={words.code}
          hint={words.codeHint}
          value={code}
          onChange={setCode}
          onComplete={(digits) => verify.mutate(digits)}
          error={error}
          disabled={verify.isPending}
        />
      )}
      <Button type="submit" wide busy={verify.isPending} disabled={code.length < 6}>
        {words.confirm}
      </Button>
      {isApp ? (
        <Button kind="quiet" onClick={() => (setRecovering(!recovering), setCode(''))}>
          {recovering ? words.useCode : words.recovery}
        </Button>
      ) : (
        <Resend pending={pending} setPending={setPending} />
      )}
      <Button kind="quiet" onClick={() => setPending(undefined)}>
        {words.otherAddress}
      </Button>
    </Sheet>
  )
}

function verification({ identifier, channel, purpose, challenge_id }: Pending, code: string) {
  if (purpose === 'reset_password') throw new Error('A reset has a form of its own')
  return { identifier, channel, purpose, code, ...(challenge_id && { challenge_id }) }
}

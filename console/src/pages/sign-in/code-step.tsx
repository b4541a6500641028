import { useState } from 'react'
import { ask } from '../../client/ask.ts'
import { Button } from '../../parts/button.tsx'
import { CodeField } from '../../parts/form/code-field.tsx'
import { useFailureSentence } from '../../parts/failure-notice.tsx'
import { Field } from '../../parts/form/field.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/language.tsx'
import { passkeyWords } from '../app/second-factor/passkey-words.ts'
import { useEntering } from './entering.ts'
import { PasskeyStep } from './passkey-step.tsx'
import type { Pending } from './pending.ts'
import { Resend } from './resend.tsx'
import { SignInCard } from './sign-in-card.tsx'
import { signInWords } from './words.ts'

type Props = { pending: Pending; setPending(pending: Pending | undefined): void }

/** What an account asks for after a password, or the code that verifies an address. */
export function CodeStep(props: Props) {
  return props.pending.asks === 'passkey' ? <PasskeyStep {...props} /> : <Code {...props} />
}

/** Six digits of a message or of an authenticator app; in place of the latter a recovery code. */
function Code({ pending, setPending }: Props) {
  const words = useWords(signInWords)
  const passkey = useWords(passkeyWords)
  const sentence = useFailureSentence()
  const enter = useEntering(setPending)
  const [code, setCode] = useState('')
  const onlyRecovery = pending.asks === 'recovery'
  const [recovering, setRecovering] = useState(onlyRecovery)
  const isApp = pending.channel === 'totp'
  const form = useForm({
    send: (digits: string) =>
      ask('POST /v1/auth/otp/verify', { body: verification(pending, digits) }),
    onDone: ({ data }) => enter(data, pending.identifier),
    onFailed: () => setCode(''),
  })
  const error = form.error ? sentence(form.error) : undefined
  return (
    <SignInCard
      title={pending.purpose === 'login_mfa' ? words.secondTitle : words.codeTitle}
      lead={onlyRecovery ? '' : isApp ? words.codeApp : words.codeSent(pending.shown)}
      onSubmit={() => form.submit(code.trim().toUpperCase())}
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
          onComplete={form.submit}
          error={error}
          disabled={form.busy}
        />
      )}
      <Button type="submit" wide busy={form.busy} disabled={code.length < 6}>
        {words.confirm}
      </Button>
      {onlyRecovery ? null : isApp ? (
        <Button kind="quiet" onClick={() => (setRecovering(!recovering), setCode(''))}>
          {recovering ? words.useCode : words.recovery}
        </Button>
      ) : (
        <Resend pending={pending} setPending={setPending} />
      )}
      {pending.hasPasskey && (
        <Button kind="quiet" onClick={() => setPending({ ...pending, asks: 'passkey' })}>
          {passkey.use}
        </Button>
      )}
      <Button kind="quiet" onClick={() => setPending(undefined)}>
        {words.otherAddress}
      </Button>
    </SignInCard>
  )
}

function verification({ identifier, channel, purpose, challenge_id }: Pending, code: string) {
  if (purpose === 'reset_password') throw new Error('A reset has a form of its own')
  return { identifier, channel, purpose, code, ...(challenge_id && { challenge_id }) }
}

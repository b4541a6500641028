import { useState } from 'react'
import { useLocation } from 'wouter'
import { ask } from '../../client/ask.ts'
import { AskFailure } from '../../client/failure.ts'
import { Button } from '../../parts/button.tsx'
import { CodeField } from '../../parts/form/code-field.tsx'
import { FailureNotice, useFailureSentence } from '../../parts/failure-notice.tsx'
import { Field } from '../../parts/form/field.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Notice } from '../../parts/notice.tsx'
import { useWords } from '../../words/language.tsx'
import { identifierText, readIdentifier } from './identifier.ts'
import { inSeconds, usePending, type Pending } from './pending.ts'
import { Resend } from './resend.tsx'
import { SignInCard } from './sign-in-card.tsx'
import { signInWords } from './words.ts'

export default function Page() {
  const [pending, setPending] = usePending(['reset_password'])
  if (pending) return <NewPassword pending={pending} setPending={setPending} />
  return <AskForCode setPending={setPending} />
}

function AskForCode({ setPending }: { setPending(pending: Pending): void }) {
  const words = useWords(signInWords)
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState<string>()
  const form = useForm({
    send: (identifier: string) => ask('POST /v1/auth/password/forgot', { body: { identifier } }),
    onDone: ({ data }, identifier) =>
      setPending({
        identifier,
        shown: identifier,
        channel: identifier.includes('@') ? 'email' : 'phone',
        purpose: 'reset_password',
        resendAt: inSeconds(data.resend_after),
        expiresAt: inSeconds(data.expires_in),
      }),
  })
  const submit = () => {
    if (readIdentifier(typed) === undefined) setWrong(words.identifierWrong)
    else form.submit(identifierText(typed))
  }
  return (
    <SignInCard title={words.resetTitle} lead={words.resetLead} onSubmit={submit}>
      <FailureNotice error={form.error} />
      <Field
        label={words.identifier}
        hint={words.identifierHint}
        value={typed}
        onChange={setTyped}
        autoComplete="username"
        autoCapitalize="none"
        error={wrong}
      />
      <Button type="submit" wide busy={form.busy}>
        {words.resetSend}
      </Button>
    </SignInCard>
  )
}

function NewPassword({
  pending,
  setPending,
}: {
  pending: Pending
  setPending(pending: Pending | undefined): void
}) {
  const words = useWords(signInWords)
  const sentence = useFailureSentence({ validation_error: words.passwordEasy })
  const [, go] = useLocation()
  const [code, setCode] = useState('')
  const [password, setPassword] = useState('')
  const [short, setShort] = useState(false)
  const [recovery, setRecovery] = useState<string>()
  const form = useForm({
    send: () =>
      ask('POST /v1/auth/password/reset', {
        body: {
          identifier: pending.identifier,
          code,
          new_password: password,
          ...(recovery && { recovery_code: recovery.trim().toUpperCase() }),
        },
      }),
    // One SIM must not be enough for the password and the second factor.
    onFailed: (error) => {
      if (error instanceof AskFailure && error.message.includes('recovery_code'))
        setRecovery((typed) => typed ?? '')
    },
    onDone: () => {
      setPending(undefined)
      go('/login#changed', { replace: true })
    },
  })
  const submit = () => {
    setShort(password.length < 8)
    if (password.length >= 8) form.submit()
  }
  const failure = form.error instanceof AskFailure ? form.error : undefined
  const isCode = failure?.kind.startsWith('otp_') ?? false
  const isRecovery = failure?.message.includes('recovery_code') ?? false
  const isPassword = failure?.kind === 'validation_error' && !isRecovery
  return (
    <SignInCard title={words.resetTitle} lead={words.resetSent(pending.shown)} onSubmit={submit}>
      {!isCode && !isPassword && !isRecovery && <FailureNotice error={form.error} />}
      <CodeField
        label={words.code}
        value={code}
        onChange={setCode}
        onComplete={() => {}}
        error={isCode ? sentence(failure) : undefined}
      />
      <Field
        label={words.newPassword}
        hint={words.passwordHint}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
        error={short ? words.passwordShort : isPassword ? sentence(failure) : undefined}
      />
      {recovery !== undefined && (
        <>
          <Notice tone="info">{words.resetOneSim}</Notice>
          <Field
            label={words.recoveryLabel}
            hint={words.recoveryHint}
            value={recovery}
            onChange={setRecovery}
            autoComplete="off"
            autoCapitalize="characters"
            error={isRecovery && failure?.kind !== 'forbidden' ? words.recoveryWrong : undefined}
          />
        </>
      )}
      <Button type="submit" wide busy={form.busy} disabled={code.length < 6}>
        {words.resetSet}
      </Button>
      <Resend pending={pending} setPending={setPending} />
      <Button kind="quiet" onClick={() => setPending(undefined)}>
        {words.otherAddress}
      </Button>
    </SignInCard>
  )
}

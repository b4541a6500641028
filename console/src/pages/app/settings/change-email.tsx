import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { AskFailure } from '../../../client/failure.ts'
import { updateUser } from '../../../client/session.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { CodeField } from '../../../parts/code-field.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { FailureNotice, useFailureSentence } from '../../../parts/failure-notice.tsx'
import { Field } from '../../../parts/field.tsx'
import { useWords } from '../../../words/language.tsx'
import { SecondFactor, useSecondFactor } from '../second-factor/second-factor.tsx'
import { settingsWords } from './words.ts'

/** The address changes only when the code that was sent to it comes back. */
export function ChangeEmail({ onClose }: { onClose(): void }) {
  const words = useWords(settingsWords)
  const [sentTo, setSentTo] = useState<string>()
  return (
    <Dialog title={words.email} onClose={onClose}>
      {sentTo === undefined ? (
        <Name onSent={setSentTo} />
      ) : (
        <Prove email={sentTo} onDone={onClose} />
      )}
    </Dialog>
  )
}

function Name({ onSent }: { onSent(email: string): void }) {
  const words = useWords(settingsWords)
  const facts = useAsk('GET /v1/console', {}, { staleTime: 300_000 })
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const factor = useSecondFactor()
  const change = useMutation({
    mutationFn: () =>
      ask('POST /v1/me/email', {
        body: { email: email.trim(), ...(password && { password }), ...factor.body },
      }),
    onSuccess: ({ data }) => onSent(data.email),
    onError: factor.take,
  })
  const wrong = change.error instanceof AskFailure ? change.error.param : undefined
  const social = facts.data?.data.sign_in
  return (
    <form
      noValidate
      onSubmit={(event) => (event.preventDefault(), change.mutate())}
      className="flex flex-col gap-4"
    >
      <Field
        label={words.newEmail}
        type="email"
        value={email}
        onChange={setEmail}
        autoComplete="email"
        autoCapitalize="none"
        error={wrong === 'email' ? words.emailWrong : undefined}
      />
      <Field
        label={words.password}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
        hint={social?.google || social?.github ? words.passwordSocial : undefined}
        error={wrong === 'password' ? words.passwordWrong : undefined}
      />
      <SecondFactor factor={factor} error={change.error} />
      {!factor.isAsked && wrong === undefined && (
        <FailureNotice error={change.error} kinds={{ conflict: words.emailTaken }} />
      )}
      <Button type="submit" wide busy={change.isPending} disabled={!email.includes('@')}>
        {words.sendCode}
      </Button>
    </form>
  )
}

function Prove({ email, onDone }: { email: string; onDone(): void }) {
  const words = useWords(settingsWords)
  const sentence = useFailureSentence({ conflict: words.emailTaken })
  const [code, setCode] = useState('')
  const prove = useMutation({
    mutationFn: async (digits: string) => {
      await ask('POST /v1/me/email/verify', { body: { email, code: digits } })
      updateUser((await ask('GET /v1/me')).data)
    },
    onSuccess: onDone,
    onError: () => setCode(''),
  })
  return (
    <>
      <p>{words.codeSent(email)}</p>
      <CodeField
        label={words.code}
        value={code}
        onChange={setCode}
        onComplete={(digits) => prove.mutate(digits)}
        error={prove.isError ? sentence(prove.error) : undefined}
        disabled={prove.isPending}
      />
    </>
  )
}

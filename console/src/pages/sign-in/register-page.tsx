import { useState } from 'react'
import { Link } from 'wouter'
import { useFacts } from '../../catalog/rate.ts'
import { ask } from '../../client/ask.ts'
import { AskFailure } from '../../client/failure.ts'
import { Button } from '../../parts/button.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Field } from '../../parts/form/field.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Notice } from '../../parts/notice.tsx'
import { useFormats } from '../../words/format.ts'
import { useLanguage, useWords } from '../../words/language.tsx'
import { CodeStep } from './code-step.tsx'
import { readIdentifier } from './identifier.ts'
import { inSeconds, usePending, type Pending } from './pending.ts'
import { SignInCard } from './sign-in-card.tsx'
import { Social } from './social.tsx'
import { signInWords } from './words.ts'

export default function Page() {
  const [pending, setPending] = usePending(['verify_email', 'verify_phone', 'login_mfa'])
  if (pending) return <CodeStep pending={pending} setPending={setPending} />
  return <Register setPending={setPending} />
}

type Wrong = { name?: string; identifier?: string; password?: string }

function Register({ setPending }: { setPending(pending: Pending): void }) {
  const words = useWords(signInWords)
  const { language } = useLanguage()
  const { number } = useFormats()
  const facts = useFacts()
  const [name, setName] = useState('')
  const [identifier, setIdentifier] = useState('')
  const [password, setPassword] = useState('')
  const [wrong, setWrong] = useState<Wrong>({})
  const form = useForm({
    send: () => {
      const address = readIdentifier(identifier)!
      return ask('POST /v1/auth/register', {
        body: { full_name: name.trim(), password, locale: language, ...address },
      })
    },
    onDone: ({ data: { identifier, channel, purpose, expires_in, resend_after } }) =>
      setPending({
        identifier,
        shown: identifier,
        channel,
        purpose,
        resendAt: inSeconds(resend_after),
        expiresAt: inSeconds(expires_in),
      }),
    onFailed: (error) => setWrong(fieldOf(error, words)),
  })
  const submit = () => {
    const found: Wrong = {
      ...(name.trim() === '' && { name: words.nameMissing }),
      ...(readIdentifier(identifier) === undefined && { identifier: words.identifierWrong }),
      ...((password.length < 8 || password.length > 128) && { password: words.passwordShort }),
    }
    setWrong(found)
    if (Object.keys(found).length === 0) form.submit()
  }
  const bonus = facts.data?.data.signup_bonus_credits
  const isTaken = form.error instanceof AskFailure && form.error.kind === 'conflict'
  const elsewhere = form.error !== null && !isTaken && Object.keys(wrong).length === 0
  return (
    <SignInCard
      title={words.registerTitle}
      lead={bonus ? words.registerLead(number(bonus)) : words.registerLeadPlain}
      onSubmit={submit}
    >
      <Social />
      {elsewhere && <FailureNotice error={form.error} />}
      {isTaken && (
        <Notice tone="warning" title={words.taken}>
          <p>{words.takenDo}</p>
          <p className="flex gap-6">
            <Link href="/login" className="link flex min-h-11 items-center">
              {words.login}
            </Link>
            <Link href="/reset" className="link flex min-h-11 items-center">
              {words.forgot}
            </Link>
          </p>
        </Notice>
      )}
      <Field
        label={words.name}
        value={name}
        onChange={setName}
        autoComplete="name"
        error={wrong.name}
      />
      <Field
        label={words.identifier}
        hint={words.identifierHint}
        value={identifier}
        onChange={setIdentifier}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        error={wrong.identifier}
      />
      <Field
        label={words.password}
        hint={words.passwordHint}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
        error={wrong.password}
      />
      <Button type="submit" wide busy={form.busy}>
        {words.register}
      </Button>
      <p className="text-sm text-soft">
        {words.haveAccount}{' '}
        <Link href="/login" className="link inline-flex min-h-11 items-center">
          {words.login}
        </Link>
      </p>
    </SignInCard>
  )
}

/** The field that the API refused. */
function fieldOf(error: unknown, words: (typeof signInWords)['sw']): Wrong {
  if (!(error instanceof AskFailure) || error.kind !== 'validation_error') return {}
  if (error.param === 'password') return { password: words.passwordEasy }
  if (error.param === 'full_name') return { name: words.nameMissing }
  if (error.param === 'email' || error.param === 'phone_number')
    return { identifier: words.identifierWrong }
  return {}
}

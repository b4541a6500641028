import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../../client/ask.ts'
import { AskFailure } from '../../client/failure.ts'
import { Button } from '../../parts/button.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Field } from '../../parts/form/field.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { Notice } from '../../parts/notice.tsx'
import { useWords } from '../../words/language.tsx'
import { CodeStep } from './code-step.tsx'
import { useEntering } from './entering.ts'
import { identifierText, readIdentifier } from './identifier.ts'
import { inSeconds, usePending, type Pending } from './pending.ts'
import { SignInCard } from './sign-in-card.tsx'
import { Social } from './social.tsx'
import { signInWords } from './words.ts'

export default function Page() {
  const [pending, setPending] = usePending(['login_mfa', 'verify_email', 'verify_phone'])
  if (pending) return <CodeStep pending={pending} setPending={setPending} />
  return <Login setPending={setPending} />
}

function Login({ setPending }: { setPending(pending: Pending | undefined): void }) {
  const words = useWords(signInWords)
  const enter = useEntering(setPending)
  const [identifier, setIdentifier] = useState('')
  const [password, setPassword] = useState('')
  const form = useForm({
    send: () =>
      ask('POST /v1/auth/login', { body: { identifier: identifierText(identifier), password } }),
    onDone: ({ data }) => enter(data, identifierText(identifier)),
    onFailed: (error) => {
      // The password was right; the service has sent a code again.
      if (error instanceof AskFailure && error.kind === 'forbidden')
        setPending(unverified(identifier))
    },
  })
  const [changed, setChanged] = useState(false)
  useEffect(() => setChanged(location.hash === '#changed'), [])
  return (
    <SignInCard title={words.loginTitle} lead={words.loginLead} onSubmit={() => form.submit()}>
      {changed && <Notice tone="good">{words.resetDone}</Notice>}
      <Social />
      <FailureNotice error={form.error} />
      <Field
        label={words.identifier}
        value={identifier}
        onChange={setIdentifier}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Field
        label={words.password}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
      />
      <Button type="submit" wide busy={form.busy} disabled={!identifier || !password}>
        {words.login}
      </Button>
      <div className="flex flex-wrap justify-between gap-x-4 text-sm">
        <Link href="/reset" className="link flex min-h-11 items-center">
          {words.forgot}
        </Link>
        <Link href="/register" className="link flex min-h-11 items-center">
          {words.noAccount} {words.registerTitle}
        </Link>
      </div>
    </SignInCard>
  )
}

function unverified(typed: string): Pending | undefined {
  const read = readIdentifier(typed)
  if (read === undefined) return undefined
  const channel = 'email' in read ? 'email' : 'phone'
  const identifier = identifierText(typed)
  const purpose = channel === 'email' ? 'verify_email' : 'verify_phone'
  return {
    identifier,
    shown: identifier,
    channel,
    purpose,
    resendAt: inSeconds(60),
    expiresAt: inSeconds(600),
  }
}

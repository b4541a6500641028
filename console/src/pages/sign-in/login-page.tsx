import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { ask } from '../../client/ask.ts'
import { AskFailure } from '../../client/failure.ts'
import { Button } from '../../parts/button.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { Field } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useWords } from '../../words/language.tsx'
import { CodeStep } from './code-step.tsx'
import { useEntering } from './entering.ts'
import { identifierText, readIdentifier } from './identifier.ts'
import { inSeconds, usePending, type Pending } from './pending.ts'
import { Sheet } from './sheet.tsx'
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
  const login = useMutation({
    mutationFn: () =>
      ask('POST /v1/auth/login', { body: { identifier: identifierText(identifier), password } }),
    onSuccess: ({ data }) => enter(data, identifierText(identifier)),
    onError: (error) => {
      // The password was right; the service has sent a code again.
      if (error instanceof AskFailure && error.kind === 'forbidden')
        setPending(unverified(identifier))
    },
  })
  const [changed, setChanged] = useState(false)
  useEffect(() => setChanged(location.hash === '#changed'), [])
  return (
    <Sheet title={words.loginTitle} lead={words.loginLead} onSubmit={() => login.mutate()}>
      {changed && <Notice tone="good">{words.resetDone}</Notice>}
      <Social />
      <FailureNotice error={login.error} />
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
      <Button type="submit" wide busy={login.isPending} disabled={!identifier || !password}>
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
    </Sheet>
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

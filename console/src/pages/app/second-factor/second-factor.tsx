import { lazy, Suspense, useState } from 'react'
import { AskFailure } from '../../../client/failure.ts'
import { useSession } from '../../../client/session.ts'
import { useFailureSentence } from '../../../parts/failure-notice.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Notice } from '../../../parts/notice.tsx'
import { useWords } from '../../../words/language.tsx'
import { secondFactorWords } from './words.ts'

const PasskeyProof = lazy(() => import('./passkey-proof.tsx'))

type Factor = { mfa_code?: string; password?: string }
type Base<Result, Given> = Parameters<typeof useForm<Result, Given>>[0]
type Options<Result, Given> = Omit<Base<Result, Given>, 'send' | 'onFailed'> & {
  send(factor: Factor, given: Given): Promise<Result>
}

/**
 * A form for a change of how one signs in. The service asks for the password and the second factor,
 * unless they were given recently. The first try is without; what is asked for then appears in
 * <SecondFactorField>, and the next try sends it.
 */
export function useFactorForm<Result, Given = void>(options: Options<Result, Given>) {
  const words = useWords(secondFactorWords)
  const [asked, setAsked] = useState<Asked>({ password: false, code: undefined })
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const factor = {
    ...(asked.password && password !== '' && { password }),
    ...(asked.code && code !== '' && { mfa_code: code.trim().toUpperCase() }),
  }
  const form = useForm<Result, Given>({
    ...options,
    send: (given) => options.send(factor, given),
    onFailed: (error) => {
      if (asksForPassword(error)) setAsked({ ...asked, password: true })
      if (asksForFactor(error)) setAsked({ ...asked, code: byPasskey(error) ? 'passkey' : 'code' })
    },
  })
  const { error } = form
  const isAsked = asked.password || asked.code !== undefined
  const kinds = { forbidden: words.enterAgain }
  const given = { password, setPassword, code, setCode, again: form.again }
  // Once those fields are shown, they show what is wrong with them.
  return {
    ...form,
    error: isAsked && isOfProof(error) ? null : error,
    kinds,
    factor: { isAsked, asked, error, ...given },
  }
}

/** What the service asks for; `passkey`: which one may be used in place of the code. */
type Asked = { password: boolean; code: 'code' | 'passkey' | undefined }

const asksForPassword = (error: unknown) =>
  error instanceof AskFailure && error.param === 'password' && error.message.includes('required')

const asksForFactor = (error: unknown) =>
  error instanceof AskFailure && error.kind === 'forbidden' && error.message.includes('mfa_code')
const byPasskey = (error: Error) => error.message.includes('passkey')
const isWrongCode = (error: unknown) => error instanceof AskFailure && error.kind.startsWith('otp_')
const isWrongPassword = (error: unknown) =>
  error instanceof AskFailure && error.param === 'password' && !asksForPassword(error)
const isOfProof = (error: unknown) =>
  asksForPassword(error) || isWrongPassword(error) || asksForFactor(error) || isWrongCode(error)

type FactorForm = {
  factor: {
    asked: Asked
    password: string
    setPassword(password: string): void
    code: string
    setCode(code: string): void
    error: Error | null
    /** Sends once more what was sent last. */
    again(): void
  }
}

export function SecondFactorField({ form: { factor } }: { form: FactorForm }) {
  const words = useWords(secondFactorWords)
  const sentence = useFailureSentence()
  const { user } = useSession()
  const { asked, password, setPassword, code, setCode, error, again } = factor
  if (!asked.password && !asked.code) return null
  const method = user?.mfa_method ?? 'totp'
  return (
    <>
      <Notice tone="info">{asked.code ? words.why : words.whyPassword}</Notice>
      {asked.password && (
        <Field
          label={words.password}
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          error={isWrongPassword(error) ? words.passwordWrong : undefined}
        />
      )}
      {asked.code === 'passkey' && (
        <Suspense>
          <PasskeyProof or onShown={again} />
        </Suspense>
      )}
      {asked.code && (
        <Field
          label={words[asked.code === 'passkey' && method !== 'totp' ? 'passkey' : method]}
          value={code}
          onChange={setCode}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          error={isWrongCode(error) ? sentence(error) : undefined}
        />
      )}
    </>
  )
}

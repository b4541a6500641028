import { useState } from 'react'
import { AskFailure } from '../../../client/failure.ts'
import { useSession } from '../../../client/session.ts'
import { useFailureSentence } from '../../../parts/failure-notice.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Notice } from '../../../parts/notice.tsx'
import { useWords } from '../../../words/language.tsx'
import { secondFactorWords } from './words.ts'

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
  const [asked, setAsked] = useState({ password: false, code: false })
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
      if (asksForFactor(error)) setAsked({ ...asked, code: true })
    },
  })
  const { error } = form
  const isAsked = asked.password || asked.code
  const kinds = { forbidden: words.enterAgain }
  const given = { password, setPassword, code, setCode }
  // Once those fields are shown, they show the error.
  return {
    ...form,
    error: isAsked ? null : error,
    kinds,
    factor: { isAsked, asked, error, ...given },
  }
}

const asksForPassword = (error: unknown) =>
  error instanceof AskFailure && error.param === 'password' && error.message.includes('required')

const asksForFactor = (error: unknown) =>
  error instanceof AskFailure && error.kind === 'forbidden' && error.message.includes('mfa_code')

type FactorForm = {
  factor: {
    asked: { password: boolean; code: boolean }
    password: string
    setPassword(password: string): void
    code: string
    setCode(code: string): void
    error: Error | null
  }
}

export function SecondFactorField({ form: { factor } }: { form: FactorForm }) {
  const words = useWords(secondFactorWords)
  const sentence = useFailureSentence()
  const { user } = useSession()
  const { asked, password, setPassword, code, setCode, error } = factor
  if (!asked.password && !asked.code) return null
  const wrong = error && !asksForFactor(error) && !asksForPassword(error) ? error : undefined
  const isPassword = wrong instanceof AskFailure && wrong.param === 'password'
  const other = wrong && !isPassword ? sentence(wrong) : undefined
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
          error={isPassword ? words.passwordWrong : asked.code ? undefined : other}
        />
      )}
      {asked.code && (
        <Field
          label={words[user?.mfa_method ?? 'totp']}
          value={code}
          onChange={setCode}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          error={other}
        />
      )}
    </>
  )
}

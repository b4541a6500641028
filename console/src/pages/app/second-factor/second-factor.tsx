import { useState } from 'react'
import { AskFailure } from '../../../client/failure.ts'
import { useSession } from '../../../client/session.ts'
import { useFailureSentence } from '../../../parts/failure-notice.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Notice } from '../../../parts/notice.tsx'
import { useWords } from '../../../words/language.tsx'
import { secondFactorWords } from './words.ts'

type Factor = { mfa_code?: string }
type Base<Result, Given> = Parameters<typeof useForm<Result, Given>>[0]
type Options<Result, Given> = Omit<Base<Result, Given>, 'send' | 'onFailed'> & {
  send(factor: Factor, given: Given): Promise<Result>
}

/**
 * A form for a change that may need the second factor, when it was not given recently. The first try is
 * without; if the service asks for it, <SecondFactorField> appears and the next try sends it.
 */
export function useFactorForm<Result, Given = void>(options: Options<Result, Given>) {
  const [isAsked, setAsked] = useState(false)
  const [code, setCode] = useState('')
  const factor = isAsked && code !== '' ? { mfa_code: code.trim().toUpperCase() } : {}
  const form = useForm<Result, Given>({
    ...options,
    send: (given) => options.send(factor, given),
    onFailed: (error) => asksForFactor(error) && setAsked(true),
  })
  const { error } = form
  // Once that field is shown, it shows the error.
  return { ...form, error: isAsked ? null : error, factor: { isAsked, code, setCode, error } }
}

const asksForFactor = (error: unknown) =>
  error instanceof AskFailure && error.kind === 'forbidden' && error.message.includes('mfa_code')

type FactorForm = {
  factor: { isAsked: boolean; code: string; setCode(code: string): void; error: Error | null }
}

export function SecondFactorField({ form: { factor } }: { form: FactorForm }) {
  const words = useWords(secondFactorWords)
  const sentence = useFailureSentence()
  const { user } = useSession()
  const { isAsked, code, setCode, error } = factor
  if (!isAsked) return null
  return (
    <>
      <Notice tone="info">{words.why}</Notice>
      <Field
        label={words[user?.mfa_method ?? 'totp']}
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
        autoCapitalize="characters"
        error={error && !asksForFactor(error) ? sentence(error) : undefined}
      />
    </>
  )
}

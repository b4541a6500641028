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
  const [asked, setAsked] = useState<'code' | 'passkey'>()
  const [code, setCode] = useState('')
  const factor = asked && code !== '' ? { mfa_code: code.trim().toUpperCase() } : {}
  const form = useForm<Result, Given>({
    ...options,
    send: (given) => options.send(factor, given),
    onFailed: (error) => asksForFactor(error) && setAsked(byPasskey(error) ? 'passkey' : 'code'),
  })
  const { error } = form
  // Once that field is shown, it shows what is wrong with the code.
  const isOfCode = asksForFactor(error) || isWrongCode(error)
  return {
    ...form,
    error: asked && isOfCode ? null : error,
    factor: { asked, code, setCode, error, again: form.again },
  }
}

const asksForFactor = (error: unknown) =>
  error instanceof AskFailure && error.kind === 'forbidden' && error.message.includes('mfa_code')
const byPasskey = (error: Error) => error.message.includes('passkey')
const isWrongCode = (error: unknown) => error instanceof AskFailure && error.kind.startsWith('otp_')

type FactorForm = {
  factor: {
    /** The service asks for it; `passkey`: which one may be used in place of the code. */
    asked: 'code' | 'passkey' | undefined
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
  const { asked, code, setCode, error, again } = factor
  if (!asked) return null
  const method = user?.mfa_method ?? 'totp'
  return (
    <>
      <Notice tone="info">{words.why}</Notice>
      {asked === 'passkey' && (
        <Suspense>
          <PasskeyProof or onShown={again} />
        </Suspense>
      )}
      <Field
        label={words[asked === 'passkey' && method !== 'totp' ? 'passkey' : method]}
        value={code}
        onChange={setCode}
        autoComplete="one-time-code"
        autoCapitalize="characters"
        error={isWrongCode(error) ? sentence(error) : undefined}
      />
    </>
  )
}

import { useState } from 'react'
import { AskFailure } from '../../../client/failure.ts'
import { useSession } from '../../../client/session.ts'
import { Field } from '../../../parts/field.tsx'
import { useFailureSentence } from '../../../parts/failure-notice.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { useWords } from '../../../words/language.tsx'
import { secondFactorWords } from './words.ts'

/**
 * Some changes ask for the second factor when it was not given lately. The first try is without;
 * if the service asks for it, a field appears and the next try brings it.
 */
export function useSecondFactor() {
  const [isAsked, setAsked] = useState(false)
  const [code, setCode] = useState('')
  return {
    isAsked,
    code,
    setCode,
    body: isAsked && code !== '' ? { mfa_code: code.trim().toUpperCase() } : {},
    /** For `onError` of the change. */
    take(error: unknown) {
      if (asksForFactor(error)) setAsked(true)
    },
  }
}

export type Factor = ReturnType<typeof useSecondFactor>

const asksForFactor = (error: unknown) =>
  error instanceof AskFailure && error.kind === 'forbidden' && error.message.includes('mfa_code')

export function SecondFactor({ factor, error }: { factor: Factor; error: unknown }) {
  const words = useWords(secondFactorWords)
  const sentence = useFailureSentence()
  const { user } = useSession()
  if (!factor.isAsked) return null
  return (
    <>
      <Notice tone="info">{words.why}</Notice>
      <Field
        label={words[user?.mfa_method ?? 'totp']}
        value={factor.code}
        onChange={factor.setCode}
        autoComplete="one-time-code"
        autoCapitalize="characters"
        error={error && !asksForFactor(error) ? sentence(error) : undefined}
      />
    </>
  )
}

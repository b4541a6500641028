import { useMutation } from '@tanstack/react-query'
import { createContext, useContext, useState, type ReactNode } from 'react'
import { ask } from '../../client/ask.ts'
import { AskFailure } from '../../client/failure.ts'
import { CodeField } from '../../parts/code-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useFailureSentence } from '../../parts/failure-notice.tsx'
import { useWords } from '../../words/language.tsx'
import { operatorWords } from './words.ts'

type Proven = <T>(work: () => Promise<T>) => Promise<T>

const Context = createContext<Proven>((work) => work())

/** Does the work; when the service asks for a fresh code first, gets it and does the work again. */
export const useProven = () => useContext(Context)

const asksForCode = (error: unknown) =>
  error instanceof AskFailure && error.kind === 'second_factor_required'

export function ProofProvider({ children }: { children: ReactNode }) {
  const words = useWords(operatorWords)
  const [asked, setAsked] = useState<{ answer(given: boolean): void }>()
  const proven: Proven = async (work) => {
    try {
      return await work()
    } catch (error) {
      if (!asksForCode(error)) throw error
      const given = await new Promise<boolean>((answer) => setAsked({ answer }))
      setAsked(undefined)
      if (!given) throw error
      return work()
    }
  }
  return (
    <Context value={proven}>
      {children}
      {asked && (
        <Dialog title={words.proofTitle} onClose={() => asked.answer(false)}>
          <p>{words.proofWhy}</p>
          <ProofCode onGiven={() => asked.answer(true)} />
        </Dialog>
      )}
    </Context>
  )
}

export function ProofCode({ onGiven }: { onGiven(): void }) {
  const words = useWords(operatorWords)
  const sentence = useFailureSentence()
  const [code, setCode] = useState('')
  const give = useMutation({
    mutationFn: (digits: string) => ask('POST /v1/auth/step-up', { body: { code: digits } }),
    onSuccess: onGiven,
    onError: () => setCode(''),
  })
  return (
    <CodeField
      label={words.proofCode}
      hint={words.proofUsed}
      value={code}
      onChange={setCode}
      onComplete={(digits) => give.mutate(digits)}
      error={give.isError ? sentence(give.error) : undefined}
      disabled={give.isPending}
    />
  )
}

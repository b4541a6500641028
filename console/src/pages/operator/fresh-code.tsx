import { createContext, lazy, Suspense, useContext, useState, type ReactNode } from 'react'
import { ask } from '../../client/ask.ts'
import { AskFailure } from '../../client/failure.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { CodeForm } from '../../parts/form/code-form.tsx'
import { useWords } from '../../words/language.tsx'
import { useOperator } from './operator.ts'
import { operatorWords } from './words.ts'

type WithFreshCode = <T>(work: () => Promise<T>) => Promise<T>

const PasskeyProof = lazy(() => import('../app/second-factor/passkey-proof.tsx'))
const Context = createContext<WithFreshCode>((work) => work())

/** Does the work; when the service asks for a fresh code first, asks for it and does the work again. */
export const useFreshCode = () => useContext(Context)

const asksForCode = (error: unknown) =>
  error instanceof AskFailure && error.kind === 'second_factor_required'

export function FreshCodeProvider({ children }: { children: ReactNode }) {
  const words = useWords(operatorWords)
  const [asked, setAsked] = useState<{ answer(given: boolean): void }>()
  const withFreshCode: WithFreshCode = async (work) => {
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
    <Context value={withFreshCode}>
      {children}
      {asked && (
        <Dialog title={words.proofTitle} onClose={() => asked.answer(false)}>
          <p>{words.proofWhy}</p>
          <FreshCodeField onGiven={() => asked.answer(true)} />
        </Dialog>
      )}
    </Context>
  )
}

/** A passkey, a code of the app, or either where the operator has both. */
export function FreshCodeField({ onGiven }: { onGiven(): void }) {
  const words = useWords(operatorWords)
  const me = useOperator()
  return (
    <div className="flex flex-col gap-4">
      {me.passkey && (
        <Suspense>
          <PasskeyProof or={me.authenticator} onShown={onGiven} />
        </Suspense>
      )}
      {me.authenticator && (
        <CodeForm
          label={words.proofCode}
          hint={words.proofUsed}
          send={(code) => ask('POST /v1/auth/step-up', { body: { code } })}
          onDone={onGiven}
        />
      )}
    </div>
  )
}

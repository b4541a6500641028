import { useState } from 'react'
import type { GetName } from '../../client/use-ask.ts'
import { useFailureSentence } from '../failure-notice.tsx'
import { CodeField } from './code-field.tsx'
import { useForm } from './use-form.ts'

type Props<Result> = {
  label: string
  hint?: string
  /** In place of the usual sentence, by the API's code. */
  kinds?: Partial<Record<string, string>>
  send(code: string): Promise<Result>
  renews?: readonly GetName[]
  onDone(result: Result): unknown
}

/** Six digits, sent as soon as the sixth is there. A wrong code empties the field. */
export function CodeForm<Result>({ label, hint, kinds, send, renews = [], onDone }: Props<Result>) {
  const sentence = useFailureSentence(kinds)
  const [code, setCode] = useState('')
  const form = useForm({ send, renews, onDone, onFailed: () => setCode('') })
  return (
    <CodeField
      label={label}
      {...(hint !== undefined && { hint })}
      value={code}
      onChange={setCode}
      onComplete={form.submit}
      error={form.error ? sentence(form.error) : undefined}
      disabled={form.busy}
    />
  )
}

import { AskFailure } from '../../client/failure.ts'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/language.tsx'
import { ruleIn } from './forbidden.ts'
import { useFreshCode } from './fresh-code.tsx'
import { wordFor } from './word-for.ts'
import { operatorWords } from './words.ts'

/** A form whose route may ask for a fresh code; `kinds` says what a refusal means for an operator. */
export function useOperatorForm<Result>(options: Parameters<typeof useForm<Result>>[0]) {
  const words = useWords(operatorWords)
  const withFreshCode = useFreshCode()
  const form = useForm({ ...options, send: () => withFreshCode(() => options.send()) })
  const said = form.error instanceof AskFailure ? form.error.message : ''
  const known = ruleIn(said)
  const forbidden = known
    ? words.forbidden[known.rule](wordFor(words.roles, known.what))
    : `${words.notAllowed} ${said}`
  return { ...form, kinds: { forbidden, conflict: words.conflict } }
}

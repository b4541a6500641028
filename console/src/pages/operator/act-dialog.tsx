import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { AskFailure } from '../../client/failure.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Field } from '../../parts/field.tsx'
import { useWords } from '../../words/language.tsx'
import { ruleIn } from './forbidden.ts'
import { useProven } from './proof.tsx'
import { wordFor } from './word-for.ts'
import { operatorWords } from './words.ts'

type Props<T> = {
  title: string
  why?: ReactNode
  act: string
  harmless?: boolean
  /** Something in the fields is missing. */
  disabled?: boolean
  /** In place of the usual hint, where somebody else will read the reason too. */
  reasonHint?: string
  /** What a refusal means here, by the API's code. */
  kinds?: Partial<Record<string, string>>
  children?: ReactNode
  /** The same key however often it is tried: it is done once. */
  perform(given: { reason: string; idempotencyKey: string }): Promise<T>
  onDone(result: T): unknown
  onClose(): void
}

const SHORTEST_REASON = 3

/** An act on somebody else's account or money: with a reason, and a fresh code where it is asked. */
export function ActDialog<T>(props: Props<T>) {
  const { perform, onDone, reasonHint, kinds, children, disabled, ...shown } = props
  const words = useWords(operatorWords)
  const proven = useProven()
  const [reason, setReason] = useState('')
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const work = useMutation({
    mutationFn: () => proven(() => perform({ reason: reason.trim(), idempotencyKey })),
    onSuccess: onDone,
  })
  return (
    <Confirm
      {...shown}
      busy={work.isPending}
      disabled={disabled === true || reason.trim().length < SHORTEST_REASON}
      error={work.error}
      kinds={{ ...useActSentences(work.error), ...kinds }}
      unsure={words.unsure}
      onConfirm={() => work.mutate()}
    >
      {children}
      <Field
        label={words.reason}
        hint={reasonHint ?? words.reasonHint}
        value={reason}
        onChange={setReason}
        maxLength={500}
        autoComplete="off"
      />
    </Confirm>
  )
}

/** What a refusal means for an operator. */
export function useActSentences(error: unknown): Partial<Record<string, string>> {
  const words = useWords(operatorWords)
  const said = error instanceof AskFailure ? error.message : ''
  const known = ruleIn(said)
  const forbidden = known
    ? words.forbidden[known.rule](wordFor(words.roles, known.what))
    : `${words.notAllowed} ${said}`
  return { forbidden, conflict: words.conflict }
}

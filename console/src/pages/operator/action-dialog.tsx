import { useState, type ReactNode } from 'react'
import type { GetName } from '../../client/use-ask.ts'
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx'
import { Field } from '../../parts/form/field.tsx'
import { useWords } from '../../words/language.tsx'
import { useOperatorForm } from './use-operator-form.ts'
import { operatorWords } from './words.ts'

type Props<T, Fields> = {
  title: string
  why?: ReactNode
  /** Says what will be done. */
  button: string
  harmless?: boolean
  /** Something in the fields is missing. */
  disabled?: boolean
  /** Replaces the usual hint where somebody else will read the reason too. */
  reasonHint?: string
  /** Replaces the usual sentence for a refusal, by the API's code. */
  kinds?: Partial<Record<string, string>>
  children?: ReactNode
  /** What it sends besides the reason. */
  fields?: Fields
  /** Sends it. However often it is tried the key is the same, so it is done once. */
  perform(given: Given<Fields>): Promise<T>
  renews: readonly GetName[]
  /** Called when the dialog has closed. */
  onDone(result: T): void
  /** The same when a second owner has to confirm it: with what to say. */
  onWait?(said: string): void
  onClose(): void
}

export type Given<Fields = object> = {
  body: Fields & { reason: string }
  idempotencyKey: string
}

const SHORTEST_REASON = 3

/** An action on somebody else's account or money: asks for a reason, and for a fresh code when the service wants one. */
export function ActionDialog<T, Fields extends object>(props: Props<T, Fields>) {
  const { perform, fields, renews, reasonHint, kinds, children, disabled, ...rest } = props
  const { onDone, onWait, ...shown } = rest
  const words = useWords(operatorWords)
  const [reason, setReason] = useState('')
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const form = useOperatorForm({
    send: () => perform({ body: { ...fields!, reason: reason.trim() }, idempotencyKey }),
    renews,
    onDone: (result) => {
      props.onClose()
      if (onWait !== undefined && waits(result)) onWait(words.asked)
      else onDone(result)
    },
  })
  return (
    <ConfirmDialog
      {...shown}
      form={form}
      disabled={disabled === true || reason.trim().length < SHORTEST_REASON}
      kinds={{ ...form.kinds, ...kinds }}
      unsure={words.unsure}
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
    </ConfirmDialog>
  )
}

/** Whatever may wait says so by the id of the request. */
function waits(result: unknown): boolean {
  const { data } = (result ?? {}) as { data?: { request_id?: string } }
  return data?.request_id !== undefined
}

import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Field } from '../../../parts/form/field.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { actionWords } from './action-words.ts'
import { ACCOUNT_ROUTES, type AccountActionProps } from './types.ts'

/** `12.5`, `+12.5`, `-3`, `1,000`: as the service takes it, or undefined. */
function readAmount(text: string): number | undefined {
  const bare = text.replaceAll(/[\s,]/g, '')
  if (!/^[+-]?\d{1,9}(\.\d{1,6})?$/.test(bare)) return undefined
  const amount = Number(bare)
  return amount === 0 ? undefined : amount
}

export function AdjustBalance({ account, onDone, onClose }: AccountActionProps) {
  const words = useWords(actionWords)
  const { number } = useFormats()
  const [text, setText] = useState('')
  const amount = readAmount(text)
  return (
    <ActionDialog
      title={words.adjustTitle(account.full_name)}
      why={words.adjustWhy}
      button={words.adjustDo}
      reasonHint={words.adjustReason}
      disabled={amount === undefined}
      kinds={{ conflict: words.adjustTooMuch }}
      fields={{ amount_credits: amount! }}
      perform={(given) =>
        ask('POST /v1/operator/accounts/{id}/adjustments', { path: { id: account.id }, ...given })
      }
      renews={ACCOUNT_ROUTES}
      onDone={({ data }) => {
        if (data.outcome !== 'posted') return onDone(words.postedBefore)
        return onDone(words.posted(number(data.balance_credits!, 6)))
      }}
      onWait={onDone}
      onClose={onClose}
    >
      <Field
        label={words.adjustAmount}
        hint={words.adjustHint}
        error={text.trim().length > 1 && amount === undefined ? words.adjustAmountWrong : undefined}
        value={text}
        onChange={setText}
        inputMode="text"
        maxLength={20}
        autoComplete="off"
      />
    </ActionDialog>
  )
}

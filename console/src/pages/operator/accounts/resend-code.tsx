import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Select } from '../../../parts/form/select.tsx'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { actionWords } from './action-words.ts'
import { ACCOUNT_ROUTES, type AccountActionProps } from './types.ts'

type Channel = 'email' | 'phone'
type Purpose = 'verify' | 'reset_password'

/** Sent to the account's own address, never to one typed here. */
export function ResendCode({ account, onDone, onClose }: AccountActionProps) {
  const words = useWords(actionWords)
  const channels = (['email', 'phone'] as const).filter(
    (one) => (one === 'email' ? account.email : account.phone_number) !== undefined,
  )
  const [channel, setChannel] = useState<Channel>(channels[0] ?? 'email')
  const [purpose, setPurpose] = useState<Purpose>('verify')
  return (
    <ActionDialog
      title={words.resendTitle(account.full_name)}
      why={words.resendWhy}
      button={words.resendDo}
      harmless
      fields={{ channel, purpose }}
      perform={(given) =>
        ask('POST /v1/operator/accounts/{id}/codes', { path: { id: account.id }, ...given })
      }
      renews={ACCOUNT_ROUTES}
      onDone={() => onDone(words.resent)}
      onWait={onDone}
      onClose={onClose}
    >
      <Select<Purpose>
        label={words.purpose}
        value={purpose}
        options={(['verify', 'reset_password'] as const).map((value) => ({
          value,
          label: words.purposes[value],
        }))}
        onChange={setPurpose}
      />
      <Select<Channel>
        label={words.channel}
        value={channel}
        options={channels.map((value) => ({ value, label: words.channels[value] }))}
        onChange={setChannel}
      />
    </ActionDialog>
  )
}

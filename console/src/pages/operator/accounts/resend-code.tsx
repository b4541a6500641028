import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Select } from '../../../parts/select.tsx'
import { useWords } from '../../../words/language.tsx'
import { ActDialog } from '../act-dialog.tsx'
import type { AccountActProps } from './account-acts.tsx'
import { actWords } from './act-words.ts'

type Channel = 'email' | 'phone'
type Purpose = 'verify' | 'reset_password'

/** To the address of the account, never to one that is typed here. */
export function ResendCode({ story, onDone, onClose }: AccountActProps) {
  const words = useWords(actWords)
  const channels = (['email', 'phone'] as const).filter(
    (one) => (one === 'email' ? story.email : story.phone_number) !== undefined,
  )
  const [channel, setChannel] = useState<Channel>(channels[0] ?? 'email')
  const [purpose, setPurpose] = useState<Purpose>('verify')
  return (
    <ActDialog
      title={words.resendTitle(story.full_name)}
      why={words.resendWhy}
      act={words.resendDo}
      harmless
      perform={({ reason, idempotencyKey }) =>
        ask('POST /v1/operator/accounts/{id}/codes', {
          path: { id: story.id },
          body: { channel, purpose, reason },
          idempotencyKey,
        })
      }
      onDone={() => onDone(words.resent)}
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
    </ActDialog>
  )
}

import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Select } from '../../../parts/select.tsx'
import { useWords } from '../../../words/language.tsx'
import { ActDialog } from '../act-dialog.tsx'
import type { Payment } from './payment-page.tsx'
import { paymentsWords } from './words.ts'

const RESOLUTIONS = ['credited', 'refunded', 'written_off'] as const
type Resolution = (typeof RESOLUTIONS)[number]
type Props = { payment: Payment; onDone(): unknown; onClose(): void }

export function Resolve({ payment, onDone, onClose }: Props) {
  const words = useWords(paymentsWords)
  const [action, setAction] = useState<Resolution>('credited')
  return (
    <ActDialog
      title={words.resolveTitle}
      why={words.resolveWhy}
      act={words.resolve}
      harmless
      perform={({ reason, idempotencyKey }) =>
        ask('POST /v1/operator/payments/{id}/resolution', {
          path: { id: payment.id },
          body: { action, reason },
          idempotencyKey,
        })
      }
      onDone={onDone}
      onClose={onClose}
    >
      <Select<Resolution>
        label={words.resolution}
        value={action}
        options={RESOLUTIONS.map((value) => ({ value, label: words.resolutions[value] }))}
        onChange={setAction}
      />
    </ActDialog>
  )
}

import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { Select } from '../../../parts/form/select.tsx'
import { useWords } from '../../../words/language.tsx'
import { ActionDialog } from '../action-dialog.tsx'
import { PAYMENT_ROUTES, type Payment } from './types.ts'
import { paymentsWords } from './words.ts'

const RESOLUTIONS = ['credited', 'refunded', 'written_off'] as const
type Resolution = (typeof RESOLUTIONS)[number]
type Props = { payment: Payment; onDone(): void; onClose(): void }

export function ResolvePayment({ payment, onDone, onClose }: Props) {
  const words = useWords(paymentsWords)
  const [action, setAction] = useState<Resolution>('credited')
  return (
    <ActionDialog
      title={words.resolveTitle}
      why={words.resolveWhy}
      button={words.resolve}
      harmless
      fields={{ action }}
      perform={(given) =>
        ask('POST /v1/operator/payments/{id}/resolution', { path: { id: payment.id }, ...given })
      }
      renews={PAYMENT_ROUTES}
      onDone={onDone}
      onClose={onClose}
    >
      <Select<Resolution>
        label={words.resolution}
        value={action}
        options={RESOLUTIONS.map((value) => ({ value, label: words.resolutions[value] }))}
        onChange={setAction}
      />
    </ActionDialog>
  )
}

import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { SecondFactorField, useFactorForm } from '../second-factor/second-factor.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { SettingRow } from './setting-row.tsx'
import { securityWords } from './security-words.ts'
import { settingsWords } from './words.ts'

/** How many recovery codes are left, and a button for new ones. */
export function RecoveryRow() {
  const words = useWords(securityWords)
  const settings = useWords(settingsWords)
  const { number } = useFormats()
  const mfa = useAsk('GET /v1/me/mfa')
  const [isOpen, setOpen] = useState(false)
  return (
    <SettingRow
      label={words.recoveryTitle}
      action={
        <Button
          kind="quiet"
          size="small"
          aria-label={`${settings.change}: ${words.recoveryTitle}`}
          onClick={() => setOpen(true)}
        >
          {settings.change}
        </Button>
      }
    >
      {mfa.data ? words.recoveryLeft(number(mfa.data.data.recovery_codes_left)) : '…'}
      {isOpen && <RenewCodes onClose={() => setOpen(false)} />}
    </SettingRow>
  )
}

function RenewCodes({ onClose }: { onClose(): void }) {
  const words = useWords(securityWords)
  const form = useFactorForm({
    send: (factor) => ask('PATCH /v1/me', { body: { recovery_codes: true, ...factor } }),
    renews: ['GET /v1/me/mfa'],
  })
  const codes = form.result?.data.recovery_codes
  return (
    <Dialog title={words.recoveryTitle} onClose={onClose}>
      {codes ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : (
        <Form form={form} button={words.recoveryNew} kinds={form.kinds}>
          <p>{words.recoveryNewWhy}</p>
          <SecondFactorField form={form} />
        </Form>
      )}
    </Dialog>
  )
}

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { useAsk, useAskAgain } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { SecondFactor, useSecondFactor } from '../second-factor/second-factor.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { Row } from './row.tsx'
import { securityWords } from './security-words.ts'
import { settingsWords } from './words.ts'

/** How many are left, and the way to new ones. */
export function RecoveryRow() {
  const words = useWords(securityWords)
  const settings = useWords(settingsWords)
  const { number } = useFormats()
  const mfa = useAsk('GET /v1/me/mfa')
  const [isOpen, setOpen] = useState(false)
  return (
    <Row
      label={words.recoveryTitle}
      action={
        <Button
          kind="quiet"
          size="small"
          aria-label={words.recoveryNew}
          onClick={() => setOpen(true)}
        >
          {settings.change}
        </Button>
      }
    >
      {mfa.data ? words.recoveryLeft(number(mfa.data.data.recovery_codes_left)) : '…'}
      {isOpen && <Renew onClose={() => setOpen(false)} />}
    </Row>
  )
}

function Renew({ onClose }: { onClose(): void }) {
  const words = useWords(securityWords)
  const again = useAskAgain()
  const factor = useSecondFactor()
  const renew = useMutation({
    mutationFn: () => ask('PATCH /v1/me', { body: { recovery_codes: true, ...factor.body } }),
    onSuccess: () => again('GET /v1/me/mfa'),
    onError: factor.take,
  })
  const codes = renew.data?.data.recovery_codes
  return (
    <Dialog title={words.recoveryTitle} onClose={onClose}>
      {codes ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : (
        <>
          <p>{words.recoveryNewWhy}</p>
          <SecondFactor factor={factor} error={renew.error} />
          {!factor.isAsked && <FailureNotice error={renew.error} />}
          <Button wide busy={renew.isPending} onClick={() => renew.mutate()}>
            {words.recoveryNew}
          </Button>
        </>
      )}
    </Dialog>
  )
}

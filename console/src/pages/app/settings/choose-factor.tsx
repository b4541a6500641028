import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { updateUser, useSession } from '../../../client/session.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { useWords } from '../../../words/language.tsx'
import { SecondFactorField, useFactorForm } from '../second-factor/second-factor.tsx'
import { EnrolAuthenticator } from './enrol-authenticator.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { securityWords } from './security-words.ts'

type Method = 'none' | 'totp' | 'email' | 'phone' | 'passkey'

/** Chooses the second factor; for an authenticator app, then shows its QR code and the recovery codes. */
export function ChooseFactor({ onClose }: { onClose(): void }) {
  const words = useWords(securityWords)
  const [secret, setSecret] = useState<{ secret: string; uri: string }>()
  const [codes, setCodes] = useState<string[]>()
  const title = codes ? words.recoveryTitle : secret ? words.methods.totp : words.chooseTitle
  return (
    <Dialog title={title} onClose={onClose}>
      {codes ? (
        <RecoveryCodes codes={codes} onClose={onClose} />
      ) : secret ? (
        <EnrolAuthenticator secret={secret} onCodes={setCodes} />
      ) : (
        <FactorMethods onSecret={setSecret} onCodes={setCodes} onDone={onClose} />
      )}
    </Dialog>
  )
}

type Props = {
  onSecret(secret: { secret: string; uri: string }): void
  onCodes(codes: string[]): void
  onDone(): void
}

function FactorMethods({ onSecret, onCodes, onDone }: Props) {
  const words = useWords(securityWords)
  const { user } = useSession()
  const [wanted, setWanted] = useState<Method>()
  const form = useFactorForm({
    send: (factor, method: Method) =>
      ask('PATCH /v1/me', { body: { mfa_method: method, ...factor } }),
    renews: ['GET /v1/me/mfa'],
    onDone: ({ data: { totp, recovery_codes: codes, ...profile } }) => {
      if (totp) return onSecret(totp)
      updateUser(profile)
      if (codes) onCodes(codes)
      else onDone()
    },
  })
  const choose = (method: Method) => (setWanted(method), form.submit(method))
  const now = user?.mfa_method ?? 'none'
  const passkeys = useAsk('GET /v1/me/mfa').data?.data.passkeys ?? 0
  const verified = {
    email: user?.email_verified,
    phone: user?.phone_verified === true && user.phone_signs_in_at === undefined,
  }
  return (
    <>
      <SecondFactorField form={form} />
      {form.factor.isAsked && wanted ? (
        <Button wide busy={form.busy} onClick={() => form.submit(wanted)}>
          {wanted === 'none' ? words.turnOff : words.methods[wanted]}
        </Button>
      ) : (
        <>
          <p className="text-soft">{words.factorLead}</p>
          {(['totp', 'phone', 'email'] as const).map((method) => (
            <div key={method} className="flex items-center justify-between gap-2">
              <Button
                kind={method === 'totp' ? 'main' : 'plain'}
                wide
                disabled={method === now || (method !== 'totp' && verified[method] !== true)}
                onClick={() => choose(method)}
              >
                {words.methods[method]}
              </Button>
              {method === 'totp' && <Badge tone="good">{words.best}</Badge>}
            </div>
          ))}
          {passkeys > 0 && (
            <div className="border-t border-line pt-3">
              <Button
                kind="plain"
                wide
                disabled={now === 'passkey'}
                onClick={() => choose('passkey')}
              >
                {words.methods.passkey}
              </Button>
              <p className="mt-1 text-sm text-soft">{words.passkeyStays}</p>
            </div>
          )}
          {now !== 'none' && passkeys === 0 && (
            <div className="border-t border-line pt-3">
              <Button kind="danger" wide onClick={() => choose('none')}>
                {words.turnOff}
              </Button>
              <p className="mt-1 text-sm text-soft">{words.turnOffWhy}</p>
            </div>
          )}
        </>
      )}
      <FailureNotice error={form.error} kinds={form.kinds} />
    </>
  )
}

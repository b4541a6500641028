import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { updateUser, useSession } from '../../../client/session.ts'
import { useAskAgain } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { useWords } from '../../../words/language.tsx'
import { SecondFactor, useSecondFactor } from '../second-factor/second-factor.tsx'
import { Enrol } from './enrol.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { securityWords } from './security-words.ts'

type Method = 'none' | 'totp' | 'email' | 'phone'

/** Which one; for an authenticator app then its QR code and the recovery codes. */
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
        <Enrol secret={secret} onCodes={setCodes} />
      ) : (
        <Methods onSecret={setSecret} onDone={onClose} />
      )}
    </Dialog>
  )
}

type Props = { onSecret(secret: { secret: string; uri: string }): void; onDone(): void }

function Methods({ onSecret, onDone }: Props) {
  const words = useWords(securityWords)
  const { user } = useSession()
  const again = useAskAgain()
  const factor = useSecondFactor()
  const [wanted, setWanted] = useState<Method>()
  const change = useMutation({
    mutationFn: (method: Method) =>
      ask('PATCH /v1/me', { body: { mfa_method: method, ...factor.body } }),
    onSuccess: ({ data: { totp, ...profile } }) => {
      if (totp) return onSecret(totp)
      updateUser(profile)
      onDone()
      return again('GET /v1/me/mfa')
    },
    onError: factor.take,
  })
  const choose = (method: Method) => (setWanted(method), change.mutate(method))
  const now = user?.mfa_method ?? 'none'
  const proved = { email: user?.email_verified, phone: user?.phone_verified }
  return (
    <>
      <SecondFactor factor={factor} error={change.error} />
      {factor.isAsked && wanted ? (
        <Button wide busy={change.isPending} onClick={() => change.mutate(wanted)}>
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
                disabled={method === now || (method !== 'totp' && proved[method] !== true)}
                onClick={() => choose(method)}
              >
                {words.methods[method]}
              </Button>
              {method === 'totp' && <Badge tone="good">{words.best}</Badge>}
            </div>
          ))}
          {now !== 'none' && (
            <div className="border-t border-line pt-3">
              <Button kind="danger" wide onClick={() => choose('none')}>
                {words.turnOff}
              </Button>
              <p className="mt-1 text-sm text-soft">{words.turnOffWhy}</p>
            </div>
          )}
        </>
      )}
      {!factor.isAsked && <FailureNotice error={change.error} />}
    </>
  )
}

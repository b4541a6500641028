import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { updateUser } from '../../../client/session.ts'
import { useAskAgain } from '../../../client/use-ask.ts'
import { CodeField } from '../../../parts/code-field.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { useFailureSentence } from '../../../parts/failure-notice.tsx'
import { QR } from '../../../parts/qr.tsx'
import { useWords } from '../../../words/language.tsx'
import { securityWords } from './security-words.ts'

type Props = { secret: { secret: string; uri: string }; onCodes(codes: string[]): void }

/** The secret as a QR code or as text, then the first code of the app. */
export function Enrol({ secret, onCodes }: Props) {
  const words = useWords(securityWords)
  const sentence = useFailureSentence()
  const again = useAskAgain()
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: (digits: string) =>
      ask('PATCH /v1/me', { body: { mfa_method: 'totp', totp_code: digits } }),
    onSuccess: ({ data: { recovery_codes, ...profile } }) => {
      updateUser(profile)
      onCodes(recovery_codes ?? [])
      return again('GET /v1/me/mfa')
    },
    onError: () => setCode(''),
  })
  return (
    <>
      <p>{words.scan}</p>
      <div className="flex justify-center">
        <QR text={secret.uri} label={words.qr} />
      </div>
      <div className="flex flex-col gap-2 rounded-sm bg-sunken p-3">
        <p className="text-sm text-soft">{words.orType}</p>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <code className="min-w-0 font-mono break-all">{secret.secret}</code>
          <Copy text={secret.secret} />
        </div>
      </div>
      <CodeField
        label={words.thenCode}
        value={code}
        onChange={setCode}
        onComplete={(digits) => confirm.mutate(digits)}
        error={confirm.isError ? sentence(confirm.error) : undefined}
        disabled={confirm.isPending}
      />
    </>
  )
}

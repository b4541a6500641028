import { ask } from '../../../client/ask.ts'
import { updateUser } from '../../../client/session.ts'
import { CodeForm } from '../../../parts/form/code-form.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { QR } from '../../../parts/qr.tsx'
import { useWords } from '../../../words/language.tsx'
import { securityWords } from './security-words.ts'

type Props = { secret: { secret: string; uri: string }; onCodes(codes: string[]): void }

/** The secret as a QR code or as text, then the first code of the app. */
export function EnrolAuthenticator({ secret, onCodes }: Props) {
  const words = useWords(securityWords)
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
      <CodeForm
        label={words.thenCode}
        send={(code) => ask('PATCH /v1/me', { body: { mfa_method: 'totp', totp_code: code } })}
        renews={['GET /v1/me/mfa']}
        onDone={({ data: { recovery_codes, ...profile } }) => {
          updateUser(profile)
          onCodes(recovery_codes ?? [])
        }}
      />
    </>
  )
}

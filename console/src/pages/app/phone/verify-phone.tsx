import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { openSession, updateUser, useSession } from '../../../client/session.ts'
import { Button } from '../../../parts/button.tsx'
import { useFailureSentence } from '../../../parts/failure-notice.tsx'
import { CodeForm } from '../../../parts/form/code-form.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { PhoneField, toInternational } from '../../../parts/form/phone-field.tsx'
import { useWords } from '../../../words/language.tsx'
import { SecondFactorField, useFactorForm } from '../second-factor/second-factor.tsx'
import { phoneWords } from './words.ts'

type Props = { onDone(): void; onCancel?: (() => void) | undefined }

/** Asks for a number and verifies it with the code of an SMS, in place. */
export default function VerifyPhone({ onDone, onCancel }: Props) {
  const { user } = useSession()
  const [sentTo, setSentTo] = useState<string>()
  if (sentTo !== undefined) {
    return <PhoneCodeForm phone={sentTo} onDone={onDone} onBack={() => setSentTo(undefined)} />
  }
  const known = user?.phone_verified === false ? user.phone_number : undefined
  return <PhoneForm start={known ?? ''} onSent={setSentTo} onCancel={onCancel} />
}

type PhoneFormProps = {
  start: string
  onSent(phone: string): void
  onCancel: (() => void) | undefined
}

function PhoneForm({ start, onSent, onCancel }: PhoneFormProps) {
  const words = useWords(phoneWords)
  const sentence = useFailureSentence({ conflict: words.taken, validation_error: words.wrong })
  const [text, setText] = useState(start)
  const phone = toInternational(text)
  const form = useFactorForm({
    send: (factor) => ask('POST /v1/me/phone', { body: { phone_number: phone, ...factor } }),
    onDone: () => onSent(phone),
  })
  return (
    <Form form={form} button={words.send} isSaid disabled={text.trim() === ''} onCancel={onCancel}>
      <PhoneField
        label={words.label}
        hint={words.hint}
        value={text}
        onChange={setText}
        error={form.error ? sentence(form.error) : undefined}
      />
      <SecondFactorField form={form} />
    </Form>
  )
}

type CodeProps = { phone: string; onDone(): void; onBack(): void }

function PhoneCodeForm({ phone, onDone, onBack }: CodeProps) {
  const words = useWords(phoneWords)
  return (
    <div className="flex flex-col gap-4">
      <p>{words.sent(phone)}</p>
      <CodeForm
        label={words.code}
        hint={words.codeHint}
        send={(code) => verify(phone, code)}
        onDone={onDone}
      />
      <div>
        <Button kind="quiet" onClick={onBack}>
          {words.other}
        </Button>
      </div>
    </div>
  )
}

async function verify(identifier: string, code: string): Promise<void> {
  const { data } = await ask('POST /v1/auth/otp/verify', {
    body: { identifier, channel: 'phone', purpose: 'verify_phone', code },
  })
  // With a second factor the number is verified, but no new session is opened.
  if ('access_token' in data) openSession(data)
  else updateUser((await ask('GET /v1/me')).data)
}

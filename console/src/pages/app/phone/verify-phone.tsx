import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { updateUser, useSession } from '../../../client/session.ts'
import { Button } from '../../../parts/button.tsx'
import { useFailureSentence } from '../../../parts/failure-notice.tsx'
import { CodeForm } from '../../../parts/form/code-form.tsx'
import { Field } from '../../../parts/form/field.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { PhoneField, toInternational } from '../../../parts/form/phone-field.tsx'
import { useWords } from '../../../words/language.tsx'
import { SecondFactorField, useFactorForm } from '../second-factor/second-factor.tsx'
import { phoneWords } from './words.ts'

type Props = {
  onDone(): void
  onCancel?: (() => void) | undefined
  /** Where the number is not only to pay with. */
  asksPassword?: boolean
}

/** Asks for a number and verifies it with the code of an SMS, in place. */
export default function VerifyPhone({ onDone, onCancel, asksPassword = false }: Props) {
  const { user } = useSession()
  const [sentTo, setSentTo] = useState<string>()
  if (sentTo !== undefined) {
    return <PhoneCodeForm phone={sentTo} onDone={onDone} onBack={() => setSentTo(undefined)} />
  }
  const known = user?.phone_verified === false ? user.phone_number : undefined
  const parts = { onCancel, asksPassword }
  return <PhoneForm start={known ?? ''} onSent={setSentTo} {...parts} />
}

type PhoneFormProps = {
  start: string
  onSent(phone: string): void
  onCancel: (() => void) | undefined
  asksPassword: boolean
}

function PhoneForm({ start, onSent, onCancel, asksPassword }: PhoneFormProps) {
  const words = useWords(phoneWords)
  const sentence = useFailureSentence({ conflict: words.taken, validation_error: words.wrong })
  const [text, setText] = useState(start)
  const [password, setPassword] = useState('')
  const phone = toInternational(text)
  const form = useFactorForm({
    send: (factor) =>
      ask('POST /v1/me/phone', {
        body: { phone_number: phone, ...(password && { password }), ...factor },
      }),
    onDone: () => onSent(phone),
  })
  const isPassword = form.wrongField === 'password'
  return (
    <Form form={form} button={words.send} isSaid disabled={text.trim() === ''} onCancel={onCancel}>
      <PhoneField
        label={words.label}
        hint={words.hint}
        value={text}
        onChange={setText}
        error={form.error && !isPassword ? sentence(form.error) : undefined}
      />
      {asksPassword && (
        <Field
          label={words.password}
          hint={words.passwordHint}
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          error={isPassword ? words.passwordWrong : undefined}
        />
      )}
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
  await ask('POST /v1/auth/otp/verify', {
    body: { identifier, channel: 'phone', purpose: 'verify_phone', code },
  })
  // The session that the page has goes on; a number that nobody confirmed opens only a short one.
  updateUser((await ask('GET /v1/me')).data)
}

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../../client/ask.ts'
import { openSession, updateUser, useSession } from '../../../client/session.ts'
import { Button } from '../../../parts/button.tsx'
import { CodeField } from '../../../parts/code-field.tsx'
import { useFailureSentence } from '../../../parts/failure-notice.tsx'
import { Phone, toInternational } from '../../../parts/phone.tsx'
import { commonWords } from '../../../words/common.ts'
import { useWords } from '../../../words/language.tsx'
import { SecondFactor, useSecondFactor } from '../second-factor/second-factor.tsx'
import { phoneWords } from './words.ts'

type Props = { onDone(): void; onCancel?: () => void }

/** Names a number and proves it with the code of an SMS, in place. */
export function VerifyPhone({ onDone, onCancel }: Props) {
  const { user } = useSession()
  const [sentTo, setSentTo] = useState<string>()
  if (sentTo !== undefined) {
    return <Prove phone={sentTo} onDone={onDone} onBack={() => setSentTo(undefined)} />
  }
  const known = user?.phone_verified === false ? user.phone_number : undefined
  return <Name start={known ?? ''} onSent={setSentTo} {...(onCancel && { onCancel })} />
}

type NameProps = { start: string; onSent(phone: string): void; onCancel?: () => void }

function Name({ start, onSent, onCancel }: NameProps) {
  const words = useWords(phoneWords)
  const common = useWords(commonWords)
  const sentence = useFailureSentence({ conflict: words.taken, validation_error: words.wrong })
  const [text, setText] = useState(start)
  const factor = useSecondFactor()
  const name = useMutation({
    mutationFn: () =>
      ask('POST /v1/me/phone', {
        body: { phone_number: toInternational(text), ...factor.body },
      }),
    onSuccess: () => onSent(toInternational(text)),
    onError: factor.take,
  })
  return (
    <form
      noValidate
      onSubmit={(event) => (event.preventDefault(), name.mutate())}
      className="flex flex-col gap-4"
    >
      <Phone
        label={words.label}
        hint={words.hint}
        value={text}
        onChange={setText}
        error={name.isError && !factor.isAsked ? sentence(name.error) : undefined}
      />
      <SecondFactor factor={factor} error={name.error} />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={name.isPending} disabled={text.trim() === ''}>
          {words.send}
        </Button>
        {onCancel && (
          <Button kind="quiet" onClick={onCancel}>
            {common.cancel}
          </Button>
        )}
      </div>
    </form>
  )
}

function Prove({ phone, onDone, onBack }: { phone: string; onDone(): void; onBack(): void }) {
  const words = useWords(phoneWords)
  const sentence = useFailureSentence()
  const [code, setCode] = useState('')
  const prove = useMutation({
    mutationFn: async (digits: string) => {
      const { data } = await ask('POST /v1/auth/otp/verify', {
        body: { identifier: phone, channel: 'phone', purpose: 'verify_phone', code: digits },
      })
      // With a second factor the number is proved, but no new session is opened.
      if ('access_token' in data) openSession(data)
      else updateUser((await ask('GET /v1/me')).data)
    },
    onSuccess: onDone,
    onError: () => setCode(''),
  })
  return (
    <div className="flex flex-col gap-4">
      <p>{words.sent(phone)}</p>
      <CodeField
        label={words.code}
        hint={words.codeHint}
        value={code}
        onChange={setCode}
        onComplete={(digits) => prove.mutate(digits)}
        error={prove.isError ? sentence(prove.error) : undefined}
        disabled={prove.isPending}
      />
      <div>
        <Button kind="quiet" onClick={onBack}>
          {words.other}
        </Button>
      </div>
    </div>
  )
}

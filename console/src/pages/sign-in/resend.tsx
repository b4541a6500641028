import { useEffect, useState } from 'react'
import { ask } from '../../client/ask.ts'
import { Button } from '../../parts/button.tsx'
import { useFailureSentence } from '../../parts/failure-notice.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useFormats } from '../../words/format.ts'
import { useWords } from '../../words/language.tsx'
import { inSeconds, type Pending } from './pending.ts'
import { signInWords } from './words.ts'

type Props = { pending: Pending; setPending(pending: Pending): void }

/** Counts down to when another code may be asked for. */
export function Resend({ pending, setPending }: Props) {
  const words = useWords(signInWords)
  const sentence = useFailureSentence()
  const { number } = useFormats()
  const left = useSecondsUntil(pending.resendAt)
  const resend = useForm({
    send: async () => {
      const { identifier, channel, purpose, challenge_id } = pending
      const body = { identifier, channel, purpose, ...(challenge_id && { challenge_id }) }
      return ask('POST /v1/auth/otp/resend', { body })
    },
    onDone: ({ data }) =>
      setPending({
        ...pending,
        resendAt: inSeconds(data.resend_after),
        expiresAt: inSeconds(data.expires_in),
      }),
  })
  return (
    <div className="flex flex-col items-center gap-1">
      <Button kind="quiet" busy={resend.busy} disabled={left > 0} onClick={() => resend.submit()}>
        {left > 0 ? words.resendIn(number(left)) : words.resend}
      </Button>
      <p role="status" className="text-sm text-soft">
        {resend.isDone ? words.resent : resend.error ? sentence(resend.error) : ''}
      </p>
    </div>
  )
}

function useSecondsUntil(at: number): number {
  const leftAt = () => Math.max(0, Math.ceil((at - Date.now()) / 1000))
  const [left, setLeft] = useState(leftAt)
  useEffect(() => {
    setLeft(leftAt())
    const timer = setInterval(() => setLeft(leftAt()), 500)
    return () => clearInterval(timer)
  }, [at])
  return left
}

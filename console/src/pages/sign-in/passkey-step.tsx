import { ask } from '../../client/ask.ts'
import { Button } from '../../parts/button.tsx'
import { FailureNotice } from '../../parts/failure-notice.tsx'
import { useForm } from '../../parts/form/use-form.ts'
import { useWords } from '../../words/language.tsx'
import { PasskeyButton } from '../app/second-factor/passkey-button.tsx'
import { enterWithPasskey } from '../app/second-factor/passkey.ts'
import { useEntering } from './entering.ts'
import { inSeconds, type Factor, type Pending } from './pending.ts'
import { SignInCard } from './sign-in-card.tsx'
import { signInWords } from './words.ts'

type Props = { pending: Pending; setPending(pending: Pending | undefined): void }
type Other = Exclude<Factor, 'passkey'>

/** The second step with a passkey; what else the account has on may be chosen in its place. */
export function PasskeyStep({ pending, setPending }: Props) {
  const words = useWords(signInWords)
  const enter = useEntering(setPending)
  const choose = useForm({
    send: (factor: Other) => instead(pending, factor),
    onDone: setPending,
  })
  const others = (pending.others ?? []).filter((factor) => factor !== 'passkey')
  return (
    <SignInCard title={words.secondTitle} lead={words.passkeyLead}>
      <PasskeyButton
        show={() => enterWithPasskey(pending.challenge_id ?? '')}
        onShown={({ data }) => enter(data, pending.identifier)}
      />
      <FailureNotice error={choose.error} />
      <div className="flex flex-col gap-1">
        {[...others, 'recovery' as const].map((factor) => (
          <Button
            key={factor}
            kind="quiet"
            busy={choose.busy}
            onClick={() => choose.submit(factor)}
          >
            {words.instead[factor]}
          </Button>
        ))}
        <Button kind="quiet" onClick={() => setPending(undefined)}>
          {words.otherAddress}
        </Button>
      </div>
    </SignInCard>
  )
}

/** A code by SMS or email is sent only when it is chosen. */
async function instead(pending: Pending, factor: Other): Promise<Pending> {
  const { identifier, challenge_id } = pending
  if (factor === 'totp' || factor === 'recovery') {
    return { ...pending, asks: factor, channel: 'totp' }
  }
  const { data } = await ask('POST /v1/auth/otp/resend', {
    body: {
      identifier,
      channel: factor,
      purpose: 'login_mfa',
      ...(challenge_id && { challenge_id }),
    },
  })
  return {
    ...pending,
    asks: factor,
    channel: factor,
    resendAt: inSeconds(data.resend_after),
    expiresAt: inSeconds(data.expires_in),
  }
}

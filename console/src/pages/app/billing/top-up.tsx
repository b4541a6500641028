import { useMutation } from '@tanstack/react-query'
import { useEffect, useState, type FormEvent } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../../../client/session.ts'
import { useAskAgain } from '../../../client/use-ask.ts'
import { Button } from '../../../parts/button.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { VerifyPhone } from '../phone/verify-phone.tsx'
import { usePace } from '../pace.ts'
import { Amount } from './amount.tsx'
import { Buys } from './buys.tsx'
import { useConsoleFacts } from './networks.ts'
import { PayingNumber } from './paying-number.tsx'
import { isClearNo, isUnanswered, orderTopUp } from './order-top-up.ts'
import { forgetWish, isInterrupted, newWish, useWish } from './top-up-request.ts'
import { billingWords } from './words.ts'

/** How much, from which number, and one button. */
export function TopUp() {
  const words = useWords(billingWords)
  const facts = useConsoleFacts()
  return (
    <section className="card flex flex-col gap-4 p-5" aria-label={words.howMuch}>
      <h2 className="text-lg">{words.howMuch}</h2>
      <Loaded query={facts} shape={<Skeleton lines={3} tall />}>
        {({ data }) => <Form rules={data.topup} simulated={data.simulated.payments} />}
      </Loaded>
    </section>
  )
}

type Rules = NonNullable<ReturnType<typeof useConsoleFacts>['data']>['data']['topup']

function Form({ rules, simulated }: { rules: Rules; simulated: boolean }) {
  const words = useWords(billingWords)
  const { user } = useSession()
  const [changing, setChanging] = useState(false)
  const { wish, setAmount, pay } = usePaying(rules, user?.id ?? '')
  const { tzs, amount, number } = useFormats()
  const pace = usePace()
  const lasting = (days: number) =>
    days > 365 ? words.lastsLong : words.lasts(number(Math.round(days)))
  const chosen = /^\d+$/.test(wish.amount) ? Number(wish.amount) : 0
  const isRight = chosen >= rules.min_tzs && chosen <= rules.max_tzs
  const credits = Math.round(chosen * Number(rules.credits_per_tzs) * 1e6) / 1e6
  const canPay =
    user?.phone_number !== undefined && (user.phone_verified || !rules.requires_verified_phone)
  if (!canPay || changing) {
    return (
      <>
        {!changing && <p className="text-soft">{words.needNumber}</p>}
        <VerifyPhone
          onDone={() => setChanging(false)}
          {...(changing && { onCancel: () => setChanging(false) })}
        />
      </>
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isRight && !pay.isPending) pay.mutate(wish)
  }
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Amount rules={rules} value={wish.amount} onChange={setAmount} disabled={pay.isPending} />
      {isRight && (
        <div>
          <p>
            <strong>{words.youGet(amount(credits))}</strong>{' '}
            {pace > 0 && <span className="text-soft">{lasting(credits / pace)}</span>}
          </p>
          <Buys credits={credits} />
        </div>
      )}
      <PayingNumber phone={user.phone_number!} onChange={() => setChanging(true)} />
      <FailureNotice error={pay.error} paid unsure={words.same} />
      {pay.isPending && <Notice tone="info">{pay.isPaused ? words.offline : words.sending}</Notice>}
      <Button type="submit" wide icon="phone" disabled={!isRight} busy={pay.isPending}>
        {words.pay(tzs(chosen))}
      </Button>
      {simulated && <p className="text-sm text-soft">{words.simulated}</p>}
    </form>
  )
}

function usePaying(rules: Rules, account: string) {
  const [, go] = useLocation()
  const again = useAskAgain()
  const asked = new URLSearchParams(location.search).get('amount')
  const [wish, keep] = useWish(account, asked ?? String(rules.amounts_tzs[1] ?? rules.min_tzs))
  const pay = useMutation({
    mutationFn: async (sent: typeof wish) => {
      keep({ ...sent, sentAt: Date.now() })
      return orderTopUp(sent)
    },
    // A network that has just come back often loses the first request. The key makes it one payment.
    retry: (count, error) => count < 2 && isUnanswered(error),
    onSuccess: ({ data }) => {
      forgetWish()
      void again('GET /v1/payments')
      go(`/app/billing/payments/${data.id}`)
    },
    onError: (error, sent) => {
      if (isClearNo(error)) keep(newWish(account, sent.amount))
    },
  })
  useEffect(() => {
    if (isInterrupted(wish)) pay.mutate(wish)
  }, [])
  return { wish, setAmount: (amount: string) => keep({ key: wish.key, account, amount }), pay }
}

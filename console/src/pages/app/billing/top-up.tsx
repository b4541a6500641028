import { useFacts } from '../../../catalog/rate.ts'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../../../client/session.ts'
import { Form } from '../../../parts/form/form.tsx'
import { useForm } from '../../../parts/form/use-form.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { usePace } from '../pace.ts'
import { AmountField } from './amount-field.tsx'
import { CreditExamples } from './credit-examples.tsx'
import { PayingNumber } from './paying-number.tsx'
import { isClearNo, isUnanswered, orderTopUp } from './order-top-up.ts'
import {
  forgetTopUpRequest,
  isInterrupted,
  newTopUpRequest,
  useTopUpRequest,
} from './top-up-request.ts'
import { billingWords } from './words.ts'

/** Loaded separately: it is needed once. */
const VerifyPhone = lazy(() => import('../phone/verify-phone.tsx'))

/** How much, from which number, and one button. */
export function TopUp() {
  const words = useWords(billingWords)
  const facts = useFacts()
  return (
    <section className="card flex flex-col gap-4 p-5" aria-label={words.howMuch}>
      <h2 className="text-lg">{words.howMuch}</h2>
      <Loaded query={facts} shape={<Skeleton lines={3} tall />}>
        {({ data }) => <TopUpForm rules={data.topup} simulated={data.simulated.payments} />}
      </Loaded>
    </section>
  )
}

type Rules = NonNullable<ReturnType<typeof useFacts>['data']>['data']['topup']

function TopUpForm({ rules, simulated }: { rules: Rules; simulated: boolean }) {
  const words = useWords(billingWords)
  const { user } = useSession()
  const [changing, setChanging] = useState(false)
  const { request, setAmount, pay } = usePaying(rules, user?.id ?? '')
  const { tzs, amount, number } = useFormats()
  const pace = usePace()
  const lasting = (days: number) =>
    days > 365 ? words.lastsLong : words.lasts(number(Math.round(days)))
  const chosen = /^\d+$/.test(request.amount) ? Number(request.amount) : 0
  const isRight = chosen >= rules.min_tzs && chosen <= rules.max_tzs
  const credits = Math.round(chosen * Number(rules.credits_per_tzs) * 1e6) / 1e6
  const canPay =
    user?.phone_number !== undefined && (user.phone_verified || !rules.requires_verified_phone)
  if (!canPay || changing) {
    return (
      <>
        {!changing && <p className="text-soft">{words.needNumber}</p>}
        <Suspense fallback={<Skeleton lines={2} tall />}>
          <VerifyPhone
            onDone={() => setChanging(false)}
            onCancel={changing ? () => setChanging(false) : undefined}
          />
        </Suspense>
      </>
    )
  }
  return (
    <>
      <Form
        form={{ ...pay, submit: () => pay.submit(request) }}
        button={words.pay(tzs(chosen))}
        icon="phone"
        disabled={!isRight}
        paid
        unsure={words.same}
        kinds={{ rate_limited: words.tooMany }}
      >
        <AmountField
          rules={rules}
          value={request.amount}
          onChange={setAmount}
          disabled={pay.busy}
        />
        {isRight && (
          <div>
            <p>
              <strong>{words.youGet(amount(credits))}</strong>{' '}
              {pace > 0 && <span className="text-soft">{lasting(credits / pace)}</span>}
            </p>
            <CreditExamples credits={credits} />
          </div>
        )}
        <PayingNumber phone={user.phone_number!} onChange={() => setChanging(true)} />
        {pay.busy && <Notice tone="info">{pay.isPaused ? words.offline : words.sending}</Notice>}
      </Form>
      {simulated && <p className="text-sm text-soft">{words.simulated}</p>}
    </>
  )
}

function usePaying(rules: Rules, account: string) {
  const [, go] = useLocation()
  const asked = new URLSearchParams(location.search).get('amount')
  const [request, store] = useTopUpRequest(
    account,
    asked ?? String(rules.amounts_tzs[1] ?? rules.min_tzs),
  )
  const pay = useForm({
    send: async (sent: typeof request) => {
      store({ ...sent, sentAt: Date.now() })
      return orderTopUp(sent)
    },
    // A network that has just come back often loses the first request. The key makes it one payment.
    retry: (count, error) => count < 2 && isUnanswered(error),
    renews: ['GET /v1/payments'],
    onDone: ({ data }) => {
      forgetTopUpRequest()
      go(`/app/billing/payments/${data.id}`)
    },
    onFailed: (error, sent) => {
      if (isClearNo(error)) store(newTopUpRequest(account, sent.amount))
    },
  })
  useEffect(() => {
    if (isInterrupted(request)) pay.submit(request)
  }, [])
  return {
    request,
    setAmount: (amount: string) => store({ key: request.key, account, amount }),
    pay,
  }
}

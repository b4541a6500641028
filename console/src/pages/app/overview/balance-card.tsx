import { useFacts } from '../../../catalog/rate.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { ButtonLink } from '../../../parts/button.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Money } from '../../../parts/money.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { paceOf, useFortnight } from '../pace.ts'
import { overviewWords } from './words.ts'

/** The balance, a button to top up, and how long it will last. */
export function BalanceCard() {
  const words = useWords(overviewWords)
  const balance = useAsk('GET /v1/billing/balance')
  const facts = useFacts()
  return (
    <section aria-label={words.available} className="mb-8">
      <Loaded query={balance} shape={<Skeleton lines={1} tall />}>
        {({ data }) => (
          <div className="flex flex-col gap-3">
            {facts.data && data.available_credits < facts.data.data.low_balance_credits && (
              <Notice tone="warning">{words.low}</Notice>
            )}
            <div className="card grid gap-5 p-5 sm:grid-cols-[1fr_auto] sm:items-center">
              <div>
                <p className="text-soft">{words.available}</p>
                <p className="text-3xl font-semibold tracking-tight">
                  <Money credits={data.available_credits} />
                </p>
              </div>
              <ButtonLink to="/app/billing" icon="plus">
                {words.topUp}
              </ButtonLink>
              <dl className="grid grid-cols-2 gap-4 border-t border-line pt-4 sm:col-span-2">
                <DaysLeft available={data.available_credits} />
                <div>
                  <dt className="text-sm text-soft">{words.reserved}</dt>
                  <dd className="font-semibold">
                    <Money credits={data.reserved_credits} />
                  </dd>
                  <dd className="text-sm text-soft">{words.reservedWhy}</dd>
                </div>
              </dl>
            </div>
          </div>
        )}
      </Loaded>
    </section>
  )
}

function DaysLeft({ available }: { available: number }) {
  const words = useWords(overviewWords)
  const { number, amount } = useFormats()
  const fortnight = useFortnight()
  const pace = paceOf(fortnight.data?.data.days ?? [])
  const days = pace > 0 ? Math.floor(available / pace) : undefined
  return (
    <div>
      <dt className="text-sm text-soft">{words.days}</dt>
      <dd className="figures font-semibold">
        {days === undefined ? '–' : days > 365 ? words.moreThanYear : words.daysLeft(number(days))}
      </dd>
      <dd className="text-sm text-soft">{pace > 0 ? words.pace(amount(pace)) : words.noPace}</dd>
    </div>
  )
}

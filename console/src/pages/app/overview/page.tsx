import { useSession } from '../../../client/session.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { Fortnight } from './fortnight.tsx'
import { LAST_CALLS, LastCalls } from './last-calls.tsx'
import { BalanceCard } from './balance-card.tsx'
import { FirstSteps } from './first-steps.tsx'
import { overviewWords } from './words.ts'

/** The account at a glance. */
export default function Page() {
  const words = useWords(overviewWords)
  const { user } = useSession()
  const calls = useAsk('GET /v1/activity', LAST_CALLS)
  // A new account sees its first steps in place of empty charts.
  const isUsed = calls.data === undefined || calls.data.data.length > 0
  const name = user?.full_name.split(' ')[0]
  return (
    <>
      <PageTitle title={words.title} {...(name && { lead: words.hello(name) })} />
      <BalanceCard />
      <FirstSteps />
      {isUsed && (
        <div className="grid gap-x-6 lg:grid-cols-2">
          <Fortnight />
          <LastCalls />
        </div>
      )}
    </>
  )
}

import { useSession } from '../../../client/session.ts'
import { PageTitle } from '../../../parts/page-title.tsx'
import { useWords } from '../../../words/language.tsx'
import { Fortnight } from './fortnight.tsx'
import { LastCalls } from './last-calls.tsx'
import { Standing } from './standing.tsx'
import { FirstSteps } from './first-steps.tsx'
import { overviewWords } from './words.ts'

/** How do I stand? */
export default function Page() {
  const words = useWords(overviewWords)
  const { user } = useSession()
  const name = user?.full_name.split(' ')[0]
  return (
    <>
      <PageTitle title={words.title} {...(name && { lead: words.hello(name) })} />
      <Standing />
      <FirstSteps />
      <div className="grid gap-x-6 lg:grid-cols-2">
        <Fortnight />
        <LastCalls />
      </div>
    </>
  )
}

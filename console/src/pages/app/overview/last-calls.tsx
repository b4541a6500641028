import { Link } from 'wouter'
import { useAsk } from '../../../client/use-ask.ts'
import { Icon } from '../../../parts/icon.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Money } from '../../../parts/money.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import type { Call } from '../activity/selection.ts'
import { activityWords } from '../activity/words.ts'
import { overviewWords } from './words.ts'

export const LAST_CALLS = { query: { limit: 6 } }

export function LastCalls() {
  const words = useWords(overviewWords)
  const calls = useAsk('GET /v1/activity', LAST_CALLS, { refetchInterval: 15_000 })
  return (
    <Section title={words.lastCalls}>
      <Loaded query={calls} shape={<Skeleton lines={6} />}>
        {({ data }) => (
          <div className="card px-5 py-2">
            <ul className="divide-y divide-line">
              {data.map((call) => (
                <CallLine key={call.id} call={call} />
              ))}
            </ul>
            <Link href="/app/activity" className="link flex min-h-11 items-center gap-2">
              {words.allCalls}
            </Link>
          </div>
        )}
      </Loaded>
    </Section>
  )
}

const SIGNS = {
  completed: { icon: 'check', look: 'text-green' },
  failed: { icon: 'cross', look: 'text-danger' },
  cancelled: { icon: 'stop', look: 'text-soft' },
} as const

function CallLine({ call }: { call: Call }) {
  const words = useWords(overviewWords)
  const activity = useWords(activityWords)
  const { moment } = useFormats()
  const { icon, look } = SIGNS[call.status]
  return (
    <li className="flex items-center gap-3 py-3">
      <span className={look}>
        <Icon name={icon} size={18} />
        <span className="sr-only">{activity.statuses[call.status]}</span>
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{call.model}</p>
        <p className="text-sm text-soft">
          {activity.kinds[call.kind]} · {moment(call.created_at)}
        </p>
      </div>
      <span className="text-sm">
        {call.cost_credits > 0 ? <Money credits={call.cost_credits} /> : words.notCharged}
      </span>
    </li>
  )
}

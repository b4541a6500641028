import { useState } from 'react'
import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Pager } from '../../../parts/pager.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { historyWords } from './history-words.ts'
import { SettingRow } from './setting-row.tsx'

type SecurityEvent = Answer<'GET /v1/me/security-events'>['data'][number]

/** Sign-ins, changes and keys: what one looks at to see whether somebody else was there. */
export default function SecurityHistory() {
  const words = useWords(historyWords)
  const [offset, setOffset] = useState(0)
  const events = useAsk('GET /v1/me/security-events', { query: { limit: 10, offset } })
  return (
    <Section title={words.title}>
      <p className="text-sm text-soft">{words.lead}</p>
      <Loaded query={events} shape={<Skeleton lines={4} tall />}>
        {({ data, pagination }) => (
          <div className="flex flex-col gap-4">
            <ul aria-label={words.title} className="card divide-y divide-line px-4">
              {data.map((event) => (
                <EventRow key={`${event.type} ${event.id}`} event={event} />
              ))}
            </ul>
            <Pager page={pagination} onOffset={setOffset} />
          </div>
        )}
      </Loaded>
    </Section>
  )
}

function EventRow({ event }: { event: SecurityEvent }) {
  const words = useWords(historyWords)
  const { moment } = useFormats()
  const isNew = event.type === 'session.opened' && event.new_network === true
  return (
    <li>
      <SettingRow label={[moment(event.created_at), ...detailsOf(event)].join(' · ')}>
        {titleOf(words, event)}
        {isNew && <Badge tone="wait">{words.newNetwork}</Badge>}
      </SettingRow>
    </li>
  )
}

function titleOf(words: (typeof historyWords)['sw'], event: SecurityEvent): string {
  const { type, title, name = '', last4 = '', reason = '' } = event
  const reasons: Record<string, string> = words.reasons
  const changes: Record<string, string> = words.changes
  if (type === 'session.opened') return words.signedIn
  if (type === 'session.ended') return words.ended(reasons[reason] ?? words.endedSomehow)
  if (type === 'api_key.created') return words.keyMade(`${name} …${last4}`)
  if (type === 'api_key.revoked') return words.keyRevoked(`${name} …${last4}`)
  return changes[type] ?? title ?? type
}

function detailsOf({ device, network }: SecurityEvent): string[] {
  return [device?.browser, device?.system, network].filter((word) => word !== undefined)
}

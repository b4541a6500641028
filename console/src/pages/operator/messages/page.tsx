import { useAsk } from '../../../client/use-ask.ts'
import { Empty } from '../../../parts/empty.tsx'
import { useFilters } from '../../../parts/filters.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Choices } from '../../../parts/form/select.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useWords } from '../../../words/language.tsx'
import { ReadsOnly } from '../reads-only.tsx'
import { MessageList } from './messages.tsx'
import { messagesWords } from './words.ts'

const STATES = ['dead', 'waiting', 'sent', 'folded'] as const
type State = (typeof STATES)[number]

export default function Page() {
  const words = useWords(messagesWords)
  const [filters, change] = useFilters({ state: 'dead' })
  const state = STATES.find((one) => one === filters.state) ?? 'dead'
  const messages = useAsk('GET /v1/operator/outbox', { query: { state, limit: 100 } })
  return (
    <>
      <PageTitle title={words.title} lead={words.lead} />
      <ReadsOnly need="support" />
      <Choices<State>
        label={words.state}
        value={state}
        options={STATES.map((value) => ({ value, label: words.states[value] }))}
        onChange={(next) => change({ state: next })}
      />
      <div className="mt-4">
        <Loaded
          query={messages}
          shape={<Skeleton lines={6} />}
          empty={<Empty icon="send" title={state === 'dead' ? words.noneDead : words.none} />}
        >
          {({ data }) => <MessageList messages={data} />}
        </Loaded>
      </div>
    </>
  )
}

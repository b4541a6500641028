import { lazy, Suspense, useState } from 'react'
import { Link } from 'wouter'
import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { useFilters } from '../../../parts/filters.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Money } from '../../../parts/money.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Choices } from '../../../parts/select.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import type { Params } from '../../page.tsx'
import { Facts } from '../facts.tsx'
import { Actions } from '../log/actions.tsx'
import { Messages } from '../messages/messages.tsx'
import { ReadsOnly } from '../reads-only.tsx'
import { operatorWords } from '../words.ts'
import { Access } from './access.tsx'
import { AccountActs } from './account-acts.tsx'
import { STATUS_TONES } from './statuses.ts'
import { accountsWords } from './words.ts'

export type Story = Answer<'GET /v1/operator/accounts/{id}'>['data']

/** The page is there before the lists, which bring much with them. */
const AccountList = lazy(() => import('./account-lists.tsx'))

const TABS = ['ledger', 'payments', 'activity', 'access', 'messages', 'log'] as const
type Tab = (typeof TABS)[number]

/** One customer's whole story: who, how much, what happened, and what can be done about it. */
export default function Page({ params }: { params: Params }) {
  const words = useWords(accountsWords)
  const story = useAsk('GET /v1/operator/accounts/{id}', { path: { id: params['id']! } })
  return (
    <>
      <Link href="/operator/accounts" className="link inline-flex min-h-11 items-center text-sm">
        {words.back}
      </Link>
      {story.data === undefined && <h1 className="sr-only">{words.title}</h1>}
      <Loaded query={story} shape={<Skeleton lines={4} tall />}>
        {({ data }) => <Told story={data} />}
      </Loaded>
    </>
  )
}

function Told({ story }: { story: Story }) {
  const words = useWords(accountsWords)
  const operator = useWords(operatorWords)
  const [done, setDone] = useState('')
  const [filters, change] = useFilters({ tab: 'ledger' })
  const tab = TABS.find((one) => one === filters.tab) ?? 'ledger'
  const role = story.operator_role
  return (
    <>
      <PageTitle
        title={story.full_name}
        lead={<Badge tone={STATUS_TONES[story.status]}>{words.statuses[story.status]}</Badge>}
      />
      {done !== '' && (
        <div className="mb-4">
          <Notice tone="good">{done}</Notice>
        </div>
      )}
      {role && (
        <p className="mb-4 flex items-center gap-2 text-soft">
          <Icon name="shield" /> {words.isOperator(operator.roles[role])}
        </p>
      )}
      <ReadsOnly need="support" />
      <div className="mb-6 grid items-start gap-4 lg:grid-cols-[20rem_1fr]">
        <div className="flex flex-col gap-4">
          <Standing story={story} />
          <AccountActs story={story} onDone={setDone} />
        </div>
        <Person story={story} />
      </div>
      <Choices<Tab>
        label={words.parts}
        value={tab}
        options={TABS.map((value) => ({ value, label: words.tabs[value] }))}
        onChange={(next) => change({ tab: next })}
      />
      <section aria-label={words.tabs[tab]} className="mt-4">
        <Part tab={tab} story={story} onDone={setDone} />
      </section>
    </>
  )
}

function Standing({ story: { balance } }: { story: Story }) {
  const words = useWords(accountsWords)
  const { amount } = useFormats()
  return (
    <div className="card p-5">
      <p className="text-sm text-soft">{words.available}</p>
      <p className="text-2xl font-semibold">
        <Money credits={balance.available_credits} />
      </p>
      {balance.reserved_credits > 0 && (
        <p className="mt-1 text-sm text-soft">{words.reserved(amount(balance.reserved_credits))}</p>
      )}
    </div>
  )
}

function Person({ story }: { story: Story }) {
  const words = useWords(accountsWords)
  const { fullMoment } = useFormats()
  const proven = (address: string | undefined, isProven: boolean) =>
    address && (isProven ? address : `${address} (${words.unverified})`)
  return (
    <Facts
      facts={[
        [words.email, proven(story.email, story.email_verified)],
        [words.phone, proven(story.phone_number, story.phone_verified)],
        [words.factor, words.factors[story.mfa_method]],
        [words.since, fullMoment(story.created_at)],
        [
          words.id,
          <span key="id" className="flex flex-wrap items-center gap-2">
            <code className="font-mono text-sm">{story.id}</code>
            <Copy text={story.id} />
          </span>,
        ],
      ]}
    />
  )
}

type PartProps = { tab: Tab; story: Story; onDone(said: string): void }

function Part({ tab, story, onDone }: PartProps) {
  const words = useWords(accountsWords)
  const nothing = <p className="card p-4 text-soft">{words.noneHere}</p>
  switch (tab) {
    case 'access':
      return <Access story={story} onDone={onDone} />
    case 'messages':
      return story.messages.length === 0 ? nothing : <Messages messages={story.messages} />
    case 'log':
      return story.actions.length === 0 ? (
        nothing
      ) : (
        <Actions actions={story.actions} label={words.tabs.log} />
      )
    default:
      return (
        <Suspense fallback={<Skeleton lines={6} />}>
          <AccountList key={tab} id={story.id} list={tab} />
        </Suspense>
      )
  }
}

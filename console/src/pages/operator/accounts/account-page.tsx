import { BackLink } from '../../../parts/back-link.tsx'
import { lazy, Suspense, useState } from 'react'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { DoneNotice } from '../../../parts/done-notice.tsx'
import { useFilters } from '../../../parts/filters.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Money } from '../../../parts/money.tsx'
import { PageTitle } from '../../../parts/page-title.tsx'
import { Choices } from '../../../parts/form/select.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import type { Params } from '../../page.tsx'
import { DetailList } from '../detail-list.tsx'
import { ActionList } from '../log/actions.tsx'
import { MessageList } from '../messages/messages.tsx'
import { ReadsOnly } from '../reads-only.tsx'
import { operatorWords } from '../words.ts'
import { AccountActions } from './account-actions.tsx'
import { STATUS_TONES } from './statuses.ts'
import type { AccountOverview } from './types.ts'
import { accountsWords } from './words.ts'

/** Loaded separately, so that the page does not wait for them. */
const AccountList = lazy(() => import('./account-lists.tsx'))
const AccountAccess = lazy(() => import('./account-access.tsx'))

const TABS = ['ledger', 'payments', 'activity', 'access', 'messages', 'log'] as const
type Tab = (typeof TABS)[number]

/** One customer: person, balance, history, and what an operator can do. */
export default function Page({ params }: { params: Params }) {
  const words = useWords(accountsWords)
  const account = useAsk('GET /v1/operator/accounts/{id}', { path: { id: params['id']! } })
  return (
    <>
      <BackLink to="/operator/accounts">{words.back}</BackLink>
      {account.data === undefined && <h1 className="sr-only">{words.title}</h1>}
      <Loaded query={account} shape={<Skeleton lines={4} tall />}>
        {({ data }) => <AccountDetails account={data} />}
      </Loaded>
    </>
  )
}

function AccountDetails({ account }: { account: AccountOverview }) {
  const words = useWords(accountsWords)
  const operator = useWords(operatorWords)
  const [done, setDone] = useState('')
  const [filters, change] = useFilters({ tab: 'ledger' })
  const tab = TABS.find((one) => one === filters.tab) ?? 'ledger'
  const role = account.operator_role
  return (
    <>
      <PageTitle
        title={account.full_name}
        lead={<Badge tone={STATUS_TONES[account.status]}>{words.statuses[account.status]}</Badge>}
      />
      <DoneNotice>{done}</DoneNotice>
      {role && (
        <p className="mb-4 flex items-center gap-2 text-soft">
          <Icon name="shield" /> {words.isOperator(operator.roles[role])}
        </p>
      )}
      <ReadsOnly need="support" />
      <div className="mb-6 grid items-start gap-4 lg:grid-cols-[20rem_1fr]">
        <div className="flex flex-col gap-4">
          <BalanceCard account={account} />
          <AccountActions account={account} onDone={setDone} />
        </div>
        <PersonDetails account={account} />
      </div>
      <Choices<Tab>
        label={words.parts}
        value={tab}
        options={TABS.map((value) => ({ value, label: words.tabs[value] }))}
        onChange={(next) => change({ tab: next })}
      />
      <section aria-label={words.tabs[tab]} className="mt-4">
        <Suspense fallback={<Skeleton lines={6} />}>
          <TabContent tab={tab} account={account} onDone={setDone} />
        </Suspense>
      </section>
    </>
  )
}

function BalanceCard({ account: { balance } }: { account: AccountOverview }) {
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

function PersonDetails({ account }: { account: AccountOverview }) {
  const words = useWords(accountsWords)
  const { fullMoment } = useFormats()
  const withState = (address: string | undefined, isVerified: boolean) =>
    address && (isVerified ? address : `${address} (${words.unverified})`)
  return (
    <DetailList
      details={[
        [words.email, withState(account.email, account.email_verified)],
        [words.phone, withState(account.phone_number, account.phone_verified)],
        [words.factor, words.factors[account.mfa_method]],
        [words.since, fullMoment(account.created_at)],
        [
          words.id,
          <span key="id" className="flex flex-wrap items-center gap-2">
            <code className="font-mono text-sm">{account.id}</code>
            <Copy text={account.id} />
          </span>,
        ],
      ]}
    />
  )
}

type TabContentProps = { tab: Tab; account: AccountOverview; onDone(said: string): void }

function TabContent({ tab, account, onDone }: TabContentProps) {
  const words = useWords(accountsWords)
  const nothing = <p className="card p-4 text-soft">{words.noneHere}</p>
  switch (tab) {
    case 'access':
      return <AccountAccess account={account} onDone={onDone} />
    case 'messages':
      return account.messages.length === 0 ? nothing : <MessageList messages={account.messages} />
    case 'log':
      return account.actions.length === 0 ? (
        nothing
      ) : (
        <ActionList actions={account.actions} label={words.tabs.log} />
      )
    default:
      return <AccountList key={tab} id={account.id} list={tab} />
  }
}

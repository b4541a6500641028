import { useState } from 'react'
import { Link } from 'wouter'
import type { Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Loaded } from '../../../parts/loaded.tsx'
import { Pager } from '../../../parts/pager.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { Calls } from '../../app/activity/calls.tsx'
import type { Call } from '../../app/activity/selection.ts'
import { CallDetails } from './call-details.tsx'
import { PaymentTable } from '../payments/payment-table.tsx'
import { operatorWords } from '../words.ts'
import { accountsWords } from './words.ts'

const ROWS = 25
type Props = { id: string }

const LISTS = { ledger: AccountLedger, payments: AccountPayments, activity: AccountActivity }

/** The long lists of an account; each is fetched when it is first looked at. */
export default function AccountTab({ id, list }: Props & { list: keyof typeof LISTS }) {
  const List = LISTS[list]
  return <List id={id} />
}

function NothingHere() {
  return <p className="card p-4 text-soft">{useWords(accountsWords).noneHere}</p>
}

/** The customer's statement, exact to the last digit. */
function AccountLedger({ id }: Props) {
  const words = useWords(accountsWords)
  const [offset, setOffset] = useState(0)
  const entries = useAsk('GET /v1/operator/accounts/{id}/transactions', {
    path: { id },
    query: { limit: ROWS, offset },
  })
  return (
    <Loaded query={entries} shape={<Skeleton lines={6} />} empty={<NothingHere />}>
      {({ data, pagination }) => (
        <div className="flex flex-col gap-4">
          <ul aria-label={words.tabs.ledger} className="card divide-y divide-line px-4">
            {data.map((entry) => (
              <Entry key={entry.id} entry={entry} />
            ))}
          </ul>
          <Pager page={pagination} onOffset={setOffset} />
        </div>
      )}
    </Loaded>
  )
}

/** Types whose description says more than the type; the others only repeat it, in English. */
const TELLING = new Set(['usage', 'refund', 'adjustment'])

type Entry = Answer<'GET /v1/operator/accounts/{id}/transactions'>['data'][number]

function Entry({ entry }: { entry: Entry }) {
  const words = useWords(operatorWords)
  const { balance } = useWords(accountsWords)
  const { moment, number } = useFormats()
  const { type, reference, amount_credits: amount } = entry
  return (
    <li className="flex items-start justify-between gap-4 py-2.5">
      <div className="min-w-0">
        {reference?.type === 'payment' ? (
          <Link href={`/operator/payments/${reference.id}`} className="link font-medium">
            {words.entries[type]}
          </Link>
        ) : (
          <p className="font-medium">{words.entries[type]}</p>
        )}
        <p className="text-sm wrap-anywhere text-soft">
          {moment(entry.created_at)}
          {TELLING.has(type) && ` · ${entry.description}`}
        </p>
      </div>
      <div className="figures shrink-0 text-right">
        <p className={`font-medium ${amount > 0 ? 'text-green' : ''}`}>
          {(amount > 0 ? '+' : '') + number(amount, 6)}
        </p>
        <p className="text-sm text-soft">
          <span className="sr-only">{balance}: </span>
          {number(entry.balance_after_credits, 6)}
        </p>
      </div>
    </li>
  )
}

function AccountPayments({ id }: Props) {
  const [offset, setOffset] = useState(0)
  const payments = useAsk('GET /v1/operator/accounts/{id}/payments', {
    path: { id },
    query: { limit: ROWS, offset },
  })
  return (
    <Loaded query={payments} shape={<Skeleton lines={6} />} empty={<NothingHere />}>
      {({ data, pagination }) => (
        <div className="flex flex-col gap-4">
          <PaymentTable payments={data} />
          <Pager page={pagination} onOffset={setOffset} />
        </div>
      )}
    </Loaded>
  )
}

function AccountActivity({ id }: Props) {
  const [offset, setOffset] = useState(0)
  const [shown, setShown] = useState<Call>()
  const calls = useAsk('GET /v1/operator/accounts/{id}/activity', {
    path: { id },
    query: { limit: ROWS, offset },
  })
  return (
    <Loaded query={calls} shape={<Skeleton lines={6} />} empty={<NothingHere />}>
      {({ data, pagination }) => (
        <div className="flex flex-col gap-4">
          <Calls calls={data} onShow={setShown} />
          <Pager page={pagination} onOffset={setOffset} />
          {shown && <CallDetails call={shown} onClose={() => setShown(undefined)} />}
        </div>
      )}
    </Loaded>
  )
}

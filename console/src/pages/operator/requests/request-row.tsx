import { Link } from 'wouter'
import type { Answer } from '../../../client/ask.ts'
import { Button } from '../../../parts/button.tsx'
import { Money } from '../../../parts/money.tsx'
import { useWords } from '../../../words/language.tsx'
import { useAge } from '../age.ts'
import { logWords } from '../log/words.ts'
import { useOperator } from '../operator.ts'
import { wordFor } from '../word-for.ts'
import { operatorWords } from '../words.ts'
import { requestsWords } from './words.ts'

type Waiting = Answer<'GET /v1/operator/requests'>['data'][number]
export type Decision = { target: Waiting; approve: boolean }

type Props = { waiting: Waiting; onDecide(decision: Decision): void }

/** What is asked for, of whom, by whom and why. */
export function RequestRow({ waiting, onDecide }: Props) {
  const words = useWords(requestsWords)
  const log = useWords(logWords)
  const age = useAge()
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-semibold first-letter:uppercase">
          {wordFor(log.wishes, waiting.action)}
        </p>
        <Wish {...waiting} />
        <p className="wrap-anywhere">{waiting.reason}</p>
        <p className="text-sm wrap-anywhere text-soft">
          {words.askedBy(waiting.asked_by.name, age(waiting.asked_at))}
        </p>
        <RequestTarget {...waiting.target} />
      </div>
      <DecisionButtons waiting={waiting} onDecide={onDecide} />
    </li>
  )
}

function DecisionButtons({ waiting, onDecide }: Props) {
  const words = useWords(requestsWords)
  const { may, account_id: own } = useOperator()
  const isOwn = waiting.asked_by.account_id === own
  if (!may('owner')) return isOwn ? <p className="text-sm text-soft">{words.own}</p> : null
  return (
    <div className="flex flex-wrap items-center gap-2">
      {isOwn ? (
        <p className="text-sm text-soft">{words.own}</p>
      ) : (
        <Button onClick={() => onDecide({ target: waiting, approve: true })}>
          {words.approve}
        </Button>
      )}
      <Button kind="danger" onClick={() => onDecide({ target: waiting, approve: false })}>
        {isOwn ? words.takeBack : words.refuse}
      </Button>
    </div>
  )
}

/** The account's or the model's page, where there is one. */
function RequestTarget({ type, id }: Waiting['target']) {
  const common = useWords(operatorWords)
  if (type !== 'account') return <code className="font-mono text-sm wrap-anywhere">{id}</code>
  return (
    <Link
      href={`/operator/accounts/${id}`}
      className="link inline-flex min-h-11 items-center text-sm"
    >
      {common.customer}
    </Link>
  )
}

/** Only what changes money or prices; the rest is said by the name of the action. */
function Wish({ wish }: Waiting) {
  const words = useWords(requestsWords)
  const { amount_credits: amount, margin, changes } = wish
  return (
    <>
      {typeof amount === 'string' && (
        <p className="text-lg font-semibold">
          <Money credits={Number(amount)} signed />
        </p>
      )}
      {margin !== undefined && (
        <p>{words.margin(typeof margin === 'string' ? margin : words.usual)}</p>
      )}
      {Array.isArray(changes) && (
        <ul className="text-sm">
          {changes.map((line) => (
            <li key={String(line)} className="wrap-anywhere">
              {String(line)}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

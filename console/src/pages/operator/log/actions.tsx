import { useState } from 'react'
import { Link } from 'wouter'
import type { Answer } from '../../../client/ask.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { Money } from '../../../parts/money.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { DetailList } from '../detail-list.tsx'
import { wordFor } from '../word-for.ts'
import { operatorWords } from '../words.ts'
import { logWords } from './words.ts'

export type Action = Answer<'GET /v1/operator/actions'>['data'][number]

/** What operators did, newest first; each opens with the state before and after. */
export function ActionList({ actions, label }: { actions: readonly Action[]; label: string }) {
  const words = useWords(logWords)
  const { moment } = useFormats()
  const [shown, setShown] = useState<Action>()
  return (
    <>
      <ul aria-label={label} className="card divide-y divide-line px-4">
        {actions.map((one) => (
          <li key={one.seq} className="flex flex-wrap items-start justify-between gap-x-4 py-2">
            <div className="min-w-0">
              <button
                type="button"
                onClick={() => setShown(one)}
                className="link min-h-11 text-left font-medium"
              >
                {nameOf(words, one.action)}
              </button>
              <p className="text-sm wrap-anywhere text-soft">
                {wordFor(words.targets, one.target.type)}{' '}
                <code className="font-mono">{one.target.id}</code>
              </p>
              {one.reason && <p className="text-sm wrap-anywhere">{one.reason}</p>}
            </div>
            <div className="text-sm text-soft sm:pt-2.5 sm:text-right">
              <p className="wrap-anywhere">{one.operator.name}</p>
              <p className="figures">{moment(one.at)}</p>
            </div>
          </li>
        ))}
      </ul>
      {shown && <ActionDetails action={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

type LogWords = ReturnType<typeof useWords<typeof logWords.en>>

/** What waited for a second owner has three names: it was asked for, then done or turned down. */
function nameOf({ kinds, wishes, steps }: LogWords, action: string): string {
  const [, act = action, step] = /^(.*)_(ask|approve|refuse)$/.exec(action) ?? []
  if (step === 'approve') return steps.approve(wordFor(kinds, act))
  if (step === 'ask' || step === 'refuse') return steps[step](wordFor(wishes, act))
  return wordFor(kinds, act)
}

function ActionDetails({ action, onClose }: { action: Action; onClose(): void }) {
  const words = useWords(logWords)
  const common = useWords(operatorWords)
  const { fullMoment, number } = useFormats()
  const { target, amount_credits: amount } = action
  return (
    <Dialog title={nameOf(words, action.action)} onClose={onClose}>
      <DetailList
        details={[
          [words.number, number(action.seq)],
          [common.when, fullMoment(action.at)],
          [
            common.by,
            action.operator.account_id === undefined
              ? `${action.operator.name} (${common.command})`
              : action.operator.name,
          ],
          [wordFor(words.targets, target.type), <TargetLink key="target" {...target} />],
          [common.reason, action.reason],
          [
            words.amount,
            amount === undefined ? undefined : <Money key="a" credits={amount} signed />,
          ],
          [words.request, action.request_id],
        ]}
      />
      <LoggedState title={common.before} value={action.before} />
      <LoggedState title={common.after} value={action.after} />
    </Dialog>
  )
}

function TargetLink({ type, id }: { type: string; id: string }) {
  const page = { account: 'accounts', payment: 'payments' }[type]
  if (page === undefined) return id
  return (
    <Link href={`/operator/${page}/${id}`} className="link">
      {id}
    </Link>
  )
}

/** As stored in the log; nested values as JSON. */
function LoggedState({ title, value }: { title: string; value: unknown }) {
  if (value === undefined || value === null || typeof value !== 'object') return null
  const entries = Object.entries(value)
  return (
    <div>
      <h3 className="mb-1 text-sm text-soft">{title}</h3>
      <dl className="rounded-sm bg-sunken px-3 py-2 font-mono text-sm">
        {entries.map(([name, one]) => (
          <div key={name} className="flex flex-wrap gap-x-2">
            <dt className="text-soft">{name}</dt>
            <dd className="min-w-0 wrap-anywhere">
              {typeof one === 'string' ? one : JSON.stringify(one)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

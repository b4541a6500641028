import { useState } from 'react'
import { ask, type Answer } from '../../../client/ask.ts'
import { useAsk } from '../../../client/use-ask.ts'
import { Badge } from '../../../parts/badge.tsx'
import { Button } from '../../../parts/button.tsx'
import { FailureNotice } from '../../../parts/failure-notice.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Section } from '../../../parts/page-title.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { useOperator } from '../operator.ts'
import { useOperatorForm } from '../use-operator-form.ts'
import { AuditRun } from './audit-run.tsx'
import { booksWords } from './words.ts'

type Run = Answer<'GET /v1/operator/audits'>['data'][number]

/** One audit at a time: started, followed step by step, and listed with what it found. */
export function Audits() {
  const words = useWords(booksWords)
  const { may } = useOperator()
  const [shown, setShown] = useState<string>()
  const audit = useOperatorForm({
    send: () => ask('POST /v1/operator/audits', { body: {} }),
    renews: ['GET /v1/operator/audits'],
    onDone: ({ data }) => setShown(data.id),
  })
  const runs = useAsk('GET /v1/operator/audits', { query: { limit: 10 } })
  const open = runs.data?.data.find(({ state }) => state === 'waiting' || state === 'running')
  const current = shown ?? open?.id ?? runs.data?.data[0]?.id
  return (
    <Section title={words.audit}>
      <p className="max-w-prose text-soft">{words.auditLead}</p>
      {may('support') && (
        <div>
          <Button icon="shield" busy={audit.busy} onClick={() => audit.submit()}>
            {words.run}
          </Button>
        </div>
      )}
      <FailureNotice error={audit.error} kinds={audit.kinds} />
      <Loaded
        query={runs}
        shape={<Skeleton lines={3} />}
        empty={<p className="card p-4 text-soft">{words.never}</p>}
      >
        {({ data }) => (
          <>
            {current !== undefined && <AuditRun key={current} id={current} />}
            <h3 className="mt-2 text-base">{words.past}</h3>
            <ul aria-label={words.past} className="card divide-y divide-line px-4">
              {data.map((run) => (
                <PastAudit key={run.id} run={run} onShow={() => setShown(run.id)} />
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Section>
  )
}

function PastAudit({ run, onShow }: { run: Run; onShow(): void }) {
  const words = useWords(booksWords)
  const { fullMoment, number } = useFormats()
  const { state, finding_count: faults } = run
  const isDone = state === 'done'
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 py-1">
      <button type="button" onClick={onShow} className="link min-h-11 text-left wrap-anywhere">
        {words.by(run.asked_by, fullMoment(run.created_at))}
      </button>
      <Badge tone={isDone ? (faults === 0 ? 'good' : 'bad') : state === 'failed' ? 'bad' : 'wait'}>
        {!isDone ? words.states[state] : faults === 0 ? words.sound : words.faults(number(faults))}
      </Badge>
    </li>
  )
}

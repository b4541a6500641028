import { useEffect } from 'react'
import type { Answer } from '../../../client/ask.ts'
import { useAsk, useAskAgain } from '../../../client/use-ask.ts'
import { Copy } from '../../../parts/copy.tsx'
import { Loaded } from '../../../parts/loaded.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { Skeleton } from '../../../parts/skeleton.tsx'
import { useFormats } from '../../../words/format.ts'
import { useWords } from '../../../words/language.tsx'
import { booksWords } from './words.ts'

type Run = Answer<'GET /v1/operator/audits/{id}'>['data']
const OFTEN_MS = 1_000

/** Polls a run until it has ended. */
export function AuditRun({ id }: { id: string }) {
  const again = useAskAgain()
  const first = useAsk('GET /v1/operator/audits/{id}', { path: { id } })
  const state = first.data?.data.state
  const isGoing = state === 'waiting' || state === 'running'
  useAsk(
    'GET /v1/operator/audits/{id}',
    { path: { id } },
    { enabled: isGoing, refetchInterval: isGoing ? OFTEN_MS : false },
  )
  useEffect(() => {
    if (state === 'done' || state === 'failed') void again('GET /v1/operator/audits')
  }, [state])
  return (
    <Loaded query={first} shape={<Skeleton lines={2} />}>
      {({ data }) => (isGoing ? <AuditProgress run={data} /> : <AuditResult run={data} />)}
    </Loaded>
  )
}

function AuditProgress({ run: { step, of } }: { run: Run }) {
  const words = useWords(booksWords)
  const { number } = useFormats()
  const said = of === 0 ? words.waiting : words.step(number(step), number(of))
  return (
    <div role="status" className="card flex flex-col gap-2 p-4">
      <p className="font-semibold">{said}</p>
      <progress
        aria-label={said}
        max={Math.max(1, of)}
        value={step}
        className="h-3 w-full accent-green"
      />
    </div>
  )
}

function AuditResult({ run }: { run: Run }) {
  const words = useWords(booksWords)
  const { number } = useFormats()
  return (
    <div className="flex flex-col gap-3">
      {run.state === 'failed' ? (
        <Notice tone="bad" title={words.failed}>
          <p className="wrap-anywhere">{run.error}</p>
        </Notice>
      ) : run.finding_count === 0 ? (
        <Notice tone="good" title={words.fine}>
          <p>{words.fineMore(number(run.accounts ?? 0), number(run.entries ?? 0))}</p>
        </Notice>
      ) : (
        <Notice tone="bad" title={words.findings(number(run.finding_count))}>
          <ul className="list-disc pl-5">
            {run.findings.map((finding) => (
              <li key={finding} className="wrap-anywhere">
                {finding}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {run.log_end !== undefined && (
        <div className="card flex flex-wrap items-center justify-between gap-2 p-4">
          <div className="min-w-0">
            <p className="text-sm text-soft">{words.logEnd}</p>
            <code className="font-mono text-sm break-all">{run.log_end}</code>
            <p className="text-sm text-soft">{words.logEndWhy}</p>
          </div>
          <Copy text={run.log_end} />
        </div>
      )}
    </div>
  )
}

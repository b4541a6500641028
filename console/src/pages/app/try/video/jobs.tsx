import { useEffect, useState } from 'react'
import type { Answer } from '../../../../client/ask.ts'
import { useAsk, useAskAgain } from '../../../../client/use-ask.ts'
import { Badge } from '../../../../parts/badge.tsx'
import { FailureNotice } from '../../../../parts/failure-notice.tsx'
import { Section } from '../../../../parts/page-title.tsx'
import { Skeleton } from '../../../../parts/skeleton.tsx'
import { useFormats } from '../../../../words/format.ts'
import { useWords } from '../../../../words/language.tsx'
import { VideoPlayer } from './player.tsx'
import { videoWords } from './words.ts'

type Job = Answer<'GET /v1/videos'>['data'][number]

const LOOK_MS = 3_000
const isOpen = ({ status }: Job) => status === 'pending' || status === 'processing'

/** The newest jobs; polled while one of them is in progress. */
export function VideoJobs({ ordered }: { ordered: string | undefined }) {
  const words = useWords(videoWords)
  const again = useAskAgain()
  const [waits, setWaits] = useState(false)
  const jobs = useAsk(
    'GET /v1/videos',
    { query: { limit: 5 } },
    { refetchInterval: waits ? LOOK_MS : false },
  )
  const list = jobs.data?.data ?? []
  const open = list.filter(isOpen).length
  useEffect(() => {
    setWaits(open > 0)
    void again('GET /v1/billing/balance')
  }, [open, ordered])
  return (
    <Section title={words.yours}>
      {jobs.isError && <FailureNotice error={jobs.error} />}
      {jobs.isPending && <Skeleton lines={2} tall />}
      {jobs.data && list.length === 0 && <p className="text-soft">{words.none}</p>}
      <ul className="flex flex-col gap-3">
        {list.map((job) => (
          <li key={job.job_id} className="card flex flex-col gap-3 p-4">
            <VideoJob job={job} />
            {job.status === 'completed' && (
              <VideoPlayer id={job.job_id} atOnce={job.job_id === ordered} />
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

const TONES = {
  pending: 'wait',
  processing: 'wait',
  completed: 'good',
  failed: 'bad',
  cancelled: 'bad',
  expired: 'bad',
} as const

function VideoJob({ job }: { job: Job }) {
  const words = useWords(videoWords)
  const { moment, amount } = useFormats()
  const { errors } = words
  const reason = errors[(job.error?.code ?? '') as keyof typeof errors] ?? errors.other
  return (
    <div className="flex flex-col gap-2" aria-live="polite">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Badge tone={TONES[job.status]}>{words.state[job.status]}</Badge>
        <span className="figures text-sm text-soft">{moment(job.created_at)}</span>
      </div>
      <p className="font-mono text-sm break-all text-soft">{job.model}</p>
      {isOpen(job) && <JobProgress since={job.created_at} />}
      {job.usage && (
        <p className="figures text-sm text-soft" data-charge={job.usage.cost_credits}>
          {words.cost(amount(job.usage.cost_credits))}
        </p>
      )}
      {job.error && (
        <p className="text-sm">
          {reason} {words.free}
        </p>
      )}
    </div>
  )
}

/** No model reports progress: shows the time so far, and says that the page can be left. */
function JobProgress({ since }: { since: string }) {
  const words = useWords(videoWords)
  const { number } = useFormats()
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.round((now - Date.parse(since)) / 1_000))
  return (
    <>
      <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-line">
        <div className="pulse h-full w-full rounded-full bg-green" />
      </div>
      <p aria-live="off" className="figures text-sm text-soft">
        {words.since(number(seconds))}. {words.leave}
      </p>
    </>
  )
}

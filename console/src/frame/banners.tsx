import { useEffect, useState } from 'react'
import { useFacts } from '../catalog/rate.ts'
import { useSession } from '../client/session.ts'
import { Notice } from '../parts/notice.tsx'
import { commonWords } from '../words/common.ts'
import { failureWords } from '../words/failures.ts'
import { useFormats } from '../words/format.ts'
import { useWords } from '../words/language.tsx'
import { frameWords } from './words.ts'

/** Shown by a test service, so that nobody takes its credits for real money. */
export function SimulatedBanner() {
  const words = useWords(frameWords)
  const simulated = useFacts().data?.data.simulated
  if (!simulated?.models && !simulated?.payments) return null
  return (
    <aside
      aria-label={words.trial}
      className="no-print bg-warning-wash px-4 py-1.5 text-center text-sm text-warning"
    >
      {words.simulated}
    </aside>
  )
}

/** While offline: says that the data is old, and from when. */
export function OfflineBanner() {
  const common = useWords(commonWords)
  const failures = useWords(failureWords)
  const { time } = useFormats()
  const { status } = useSession()
  const [since, setSince] = useState<number>()
  useEffect(() => {
    const look = () => setSince(navigator.onLine ? undefined : Date.now())
    look()
    addEventListener('online', look)
    addEventListener('offline', look)
    return () => {
      removeEventListener('online', look)
      removeEventListener('offline', look)
    }
  }, [])
  if (since === undefined && status !== 'unreachable') return null
  return (
    <div className="mb-4">
      <Notice tone="warning">
        {since === undefined ? failures.kinds.unreachable : common.lastData(time(since))}
      </Notice>
    </div>
  )
}

import { upstreamMinutes } from '../activity/upstream-minutes.ts'
import { followDrains } from '../operators/drains.ts'
import { openUpstreams } from '../upstream/upstreams.ts'
import type { AppInputs } from './inputs.ts'

/** Upstreams whose attempts are counted, and of which operators may drain some. */
export async function openUpstreamsRoom({ db, log, clock, providers, meter }: AppInputs) {
  const upstreams = openUpstreams({ upstreams: providers.upstreams, log, meter })
  const minutes = upstreamMinutes({
    db,
    now: () => clock.now(),
    take: () => upstreams.takeCounts(),
    troubled: () => [...new Set(upstreams.problems().map((one) => one.upstream))],
  })
  await followDrains({ db, log, apply: (names) => upstreams.drain(names) })
  return { upstreams, upstreamMinutes: minutes }
}

import { Failure } from '../lib/failure.ts'
import type { HttpCall, Timeouts } from './contract/contract.ts'
import { lineTo } from './desk.ts'
import type { Desk } from './desk.ts'
import { exchange, Troubled } from './line.ts'

const PROBE_TIMEOUTS: Partial<Timeouts> = { firstByteMs: 10_000, totalMs: 15_000 }

export async function catalog(desk: Desk, upstream: string, signal: AbortSignal | undefined) {
  const station = desk.stations.get(upstream)
  if (!station?.provider.models) throw new Failure('internal', 'This upstream has no catalog.')
  try {
    return await station.provider.models((call) => askOnce(desk, upstream, call, signal))
  } catch (error) {
    throw new Failure('upstream_failed', 'The catalog could not be read.', { cause: error })
  }
}

function askOnce(desk: Desk, upstream: string, call: HttpCall, signal: AbortSignal | undefined) {
  const { place, config } = desk.stations.get(upstream)!
  const timed = { ...call, timeouts: { ...config.timeouts, ...call.timeouts } }
  return desk.sender.json(place, timed, signal)
}

export async function probe(desk: Desk, signal: AbortSignal | undefined): Promise<void> {
  const all = [...desk.stations].map(async ([upstream, { provider }]) => {
    if (!provider.probe) return
    const line = lineTo(desk, { upstream, model: '' }, signal)
    const call = { ...provider.probe(), timeouts: PROBE_TIMEOUTS }
    try {
      await exchange(line, call, (timed) => line.sender.json(line.place, timed, signal))
      desk.standing.keyWorks(upstream)
    } catch (error) {
      if (error instanceof Troubled) noteProbe(desk, upstream, error)
      else throw error
    }
  })
  await Promise.all(all)
}

/** A probe that is answered at all shows that somebody is there. */
function noteProbe(desk: Desk, upstream: string, { trouble }: Troubled): void {
  if (trouble.kind === 'account') desk.standing.mark(upstream, trouble.why)
  else if (trouble.kind === 'failed' || trouble.kind === 'overloaded') {
    desk.standing.unreached(upstream)
  } else if (trouble.kind !== 'aborted') desk.standing.reached(upstream)
}

export function health(desk: Desk) {
  const names = [...desk.stations.keys()]
  const healthy = names.filter((name) => desk.standing.healthy(name)).length
  return { healthy: healthy > 0, upstreams_total: names.length, upstreams_healthy: healthy }
}

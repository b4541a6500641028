import { Failure } from '../lib/failure.ts'
import type { CatalogReading } from '../lib/model-record.ts'
import { withTimeouts, type UpstreamParts } from './attempt.ts'
import type { Timeouts } from './contract/contract.ts'
import { Fault, troubleOf } from './contract/fault.ts'

/* What upstreams are asked for our own sake, with no customer's call behind it. */

const PROBE_TIMEOUTS: Partial<Timeouts> = { firstByteMs: 10_000, totalMs: 15_000 }

export async function readUpstreamCatalog(
  { connections, sender }: UpstreamParts,
  upstream: string,
  signal: AbortSignal | undefined,
): Promise<CatalogReading> {
  const connection = connections.get(upstream)
  const models = connection?.provider.models
  if (!connection || !models) throw new Failure('internal', 'This upstream has no catalog.')
  try {
    return await models((call) => sender.json(connection, withTimeouts(connection, call), signal))
  } catch (error) {
    throw new Failure('upstream_failed', 'The catalog could not be read.', { cause: error })
  }
}

export async function probeUpstreams(
  { connections, sender, health }: UpstreamParts,
  signal: AbortSignal | undefined,
): Promise<void> {
  const all = [...connections].map(async ([upstream, connection]) => {
    const { provider } = connection
    if (!provider.probe) return
    const call = { ...provider.probe(), timeouts: PROBE_TIMEOUTS }
    try {
      await sender.json(connection, withTimeouts(connection, call), signal)
      health.probeSucceeded(upstream)
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      health.probeFailed(upstream, troubleOf(error, provider, call))
    }
  })
  await Promise.all(all)
}

export function healthSummary({ connections, health }: UpstreamParts) {
  const names = [...connections.keys()]
  const healthy = names.filter((name) => health.healthy(name)).length
  return { healthy: healthy > 0, upstreams_total: names.length, upstreams_healthy: healthy }
}

import { Failure } from '../lib/failure.ts'
import type { CatalogReading } from '../catalog/model-record.ts'
import { withTimeouts, type UpstreamParts } from './attempt.ts'
import type { Timeouts } from './contract/contract.ts'
import { UpstreamError, classifyError } from './contract/upstream-error.ts'
import type { UpstreamCheck } from './work.ts'

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

/** Asks one upstream whether it accepts our key. Changes nothing of what is known of its health. */
export async function checkUpstream(
  { connections, sender }: UpstreamParts,
  upstream: string,
): Promise<UpstreamCheck> {
  const connection = connections.get(upstream)
  const probe = connection?.provider.probe?.()
  if (connection === undefined || probe === undefined) {
    return { tookMs: undefined, problem: undefined }
  }
  const call = { ...probe, timeouts: PROBE_TIMEOUTS }
  const beganMs = performance.now()
  try {
    await sender.json(connection, withTimeouts(connection, call), undefined)
    return { tookMs: Math.round(performance.now() - beganMs), problem: undefined }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    const category = classifyError(error, connection.provider, call)
    if (category.kind === 'account') return { tookMs: undefined, problem: category.why }
    const limited = category.kind === 'rate_limited'
    return { tookMs: undefined, problem: limited ? 'rate_limited' : 'unreachable' }
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
      if (!(error instanceof UpstreamError)) throw error
      health.probeFailed(upstream, classifyError(error, provider, call))
    }
  })
  await Promise.all(all)
}

export function healthSummary({ connections, health, drained }: UpstreamParts) {
  const names = [...connections.keys()]
  const healthy = names.filter((name) => health.healthy(name) && !drained.has(name)).length
  return { healthy: healthy > 0, upstreams_total: names.length, upstreams_healthy: healthy }
}

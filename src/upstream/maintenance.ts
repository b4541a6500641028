import { Failure } from '../lib/failure.ts'
import type { CatalogReading } from '../catalog/model-record.ts'
import { withTimeouts, type Connection, type UpstreamParts } from './attempt.ts'
import type { Timeouts } from './contract/contract.ts'
import { UpstreamError, classifyError, type ErrorCategory } from './contract/upstream-error.ts'
import type { HttpSender } from './wire/send.ts'
import type { UpstreamCheck } from './work.ts'

/* Requests of our own, without a customer's call. */

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

/** Whether an upstream accepts our key. Does not change its health. */
export async function checkUpstream(
  { connections, sender }: UpstreamParts,
  upstream: string,
): Promise<UpstreamCheck> {
  const connection = connections.get(upstream)
  const probed = connection && (await probe(sender, connection, undefined))
  if (probed === undefined) return { tookMs: undefined, problem: undefined }
  const { tookMs, failed } = probed
  if (failed === undefined) return { tookMs: Math.round(tookMs), problem: undefined }
  if (failed.kind === 'account') return { tookMs: undefined, problem: failed.why }
  const limited = failed.kind === 'rate_limited'
  return { tookMs: undefined, problem: limited ? 'rate_limited' : 'unreachable' }
}

export async function probeUpstreams(
  { connections, sender, health }: UpstreamParts,
  signal: AbortSignal | undefined,
): Promise<void> {
  const all = [...connections].map(async ([upstream, connection]) => {
    const probed = await probe(sender, connection, signal)
    if (probed?.failed) health.probeFailed(upstream, probed.failed)
    else if (probed) health.probeSucceeded(upstream)
  })
  await Promise.all(all)
}

/** Undefined where no free request exists. */
async function probe(
  sender: HttpSender,
  connection: Connection,
  signal: AbortSignal | undefined,
): Promise<{ tookMs: number; failed?: ErrorCategory } | undefined> {
  const { provider } = connection
  if (!provider.probe) return undefined
  const call = { ...provider.probe(), timeouts: PROBE_TIMEOUTS }
  const beganMs = performance.now()
  try {
    await sender.json(connection, withTimeouts(connection, call), signal)
    return { tookMs: performance.now() - beganMs }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    const failed = classifyError(error, provider, call)
    return { tookMs: performance.now() - beganMs, failed }
  }
}

export function healthSummary({ connections, health, drained }: UpstreamParts) {
  const names = [...connections.keys()]
  const healthy = names.filter((name) => health.healthy(name) && !drained.has(name)).length
  return { healthy: healthy > 0, upstreams_total: names.length, upstreams_healthy: healthy }
}

import type { Log } from '../lib/log.ts'
import type { ModelTarget, Provider } from './contract/contract.ts'
import { failureOf } from './failure.ts'
import type { Line, Troubled } from './line.ts'
import { PROVIDERS } from './providers.ts'
import type { Place, Sender } from './wire/send.ts'
import type { Standing } from './health/health.ts'
import type { UpstreamConfig } from './upstreams-file.ts'

export type Station = { config: UpstreamConfig; provider: Provider; place: Place }
/** Everything that a call to any upstream needs. */
export type Desk = {
  stations: Map<string, Station>
  sender: Sender
  standing: Standing
  log: Log
  nowMs: () => number
  random: () => number
}

export function stationOf(config: UpstreamConfig): Station {
  const provider: Provider = PROVIDERS[config.type]
  const url = new URL(config.baseUrl)
  const place = {
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ''),
    headers: config.apiKey === undefined ? {} : provider.credential(config.apiKey),
  }
  return { config, provider, place }
}

export function reasonOf(error: Troubled): string {
  return error.cause instanceof Error ? error.cause.message : error.trouble.kind
}

export function lineTo(desk: Desk, target: ModelTarget, signal: AbortSignal | undefined): Line {
  const { provider, place, config } = desk.stations.get(target.upstream)!
  return {
    provider,
    place,
    sender: desk.sender,
    target,
    timeouts: config.timeouts,
    signal,
    broken: (error) => {
      desk.standing.failed(target, error.trouble)
      desk.log.warn('upstream stream broke', {
        upstream: target.upstream,
        model: target.model,
        reason: reasonOf(error),
      })
      return failureOf(error.trouble, error.cause)
    },
  }
}

import { Failure } from '../lib/failure.ts'
import type { Log } from '../lib/log.ts'
import type { HttpCall, ModelTarget, Provider, Timeouts } from './contract.ts'
import { failureOf, rateLimited, unavailable } from './failure.ts'
import { Troubled, exchange } from './line.ts'
import type { Line } from './line.ts'
import { PROVIDERS } from './providers.ts'
import { choose } from './routing.ts'
import { RUNS } from './runs.ts'
import { createSender } from './send.ts'
import type { Place, Sender } from './send.ts'
import { Standing } from './standing.ts'
import type { UpstreamConfig } from './upstreams-file.ts'
import type { Upstreams, Work } from './work.ts'

const MOST_ATTEMPTS = 3
const PROBE_TIMEOUTS: Partial<Timeouts> = { firstByteMs: 10_000, totalMs: 15_000 }

export type UpstreamsOptions = {
  upstreams: readonly UpstreamConfig[]
  log: Log
  timeouts?: Partial<Timeouts>
  nowMs?: () => number
  random?: () => number
}

export function openUpstreams(options: UpstreamsOptions): Upstreams {
  const desk: Desk = {
    stations: new Map(options.upstreams.map((config) => [config.name, stationOf(config)])),
    sender: createSender(options.timeouts),
    standing: new Standing(options.nowMs ?? Date.now, options.log),
    log: options.log,
    nowMs: options.nowMs ?? Date.now,
    random: options.random ?? Math.random,
  }
  return {
    call: (targets, name, request, signal) => call(desk, { targets, name, request, signal }),
    can: (targets, name) => able(desk, targets, name).length > 0,
    catalog: (upstream, signal) => catalog(desk, upstream, signal),
    list: options.upstreams.map(({ baseUrl: _url, apiKey: _key, timeouts: _t, ...shown }) => shown),
    probe: (signal) => probe(desk, signal),
    health: () => health(desk),
    troubles: () => desk.standing.troubles(),
    close: () => desk.sender.close(),
  }
}

type Station = { config: UpstreamConfig; provider: Provider; place: Place }
type Desk = {
  stations: Map<string, Station>
  sender: Sender
  standing: Standing
  log: Log
  nowMs: () => number
  random: () => number
}
type Ask<Name extends keyof Work> = {
  targets: readonly ModelTarget[]
  name: Name
  request: Work[Name]['request']
  signal: AbortSignal | undefined
}

function stationOf(config: UpstreamConfig): Station {
  const provider: Provider = PROVIDERS[config.type]
  const url = new URL(config.baseUrl)
  const place = {
    origin: url.origin,
    basePath: url.pathname.replace(/\/+$/, ''),
    headers: config.apiKey === undefined ? {} : provider.credential(config.apiKey),
  }
  return { config, provider, place }
}

function able(desk: Desk, targets: readonly ModelTarget[], name: keyof Work): ModelTarget[] {
  return targets.filter(({ upstream }) => {
    const station = desk.stations.get(upstream)
    return station !== undefined && RUNS[name].can(station.provider)
  })
}

/** Walks the candidates. Only what is not the caller's fault is tried elsewhere. */
async function call<Name extends keyof Work>(desk: Desk, ask: Ask<Name>) {
  const targets = plan(desk, ask)
  let last: Failure | undefined
  for (const [index, target] of targets.slice(0, MOST_ATTEMPTS).entries()) {
    const attempt = await tryOne(desk, ask, target)
    if ('result' in attempt) {
      return { result: attempt.result, upstream: target.upstream, attempts: index + 1 }
    }
    last = attempt.failure
    desk.log.warn('upstream attempt failed', {
      upstream: target.upstream,
      model: target.model,
      reason: attempt.reason,
      attempt: index + 1,
    })
    if (attempt.final) break
  }
  throw last!
}

function plan<Name extends keyof Work>(desk: Desk, ask: Ask<Name>): ModelTarget[] {
  const targets = able(desk, ask.targets, ask.name)
  if (targets.length === 0) {
    throw new Failure('unsuitable', 'This model cannot do what is asked of it.', {
      param: 'model',
      code: 'model_capability',
    })
  }
  const candidates = targets.map((target) => {
    const { priority, weight } = desk.stations.get(target.upstream)!.config
    const circuit = desk.standing.circuit(target)
    return { target, priority, weight, circuit, demoted: desk.standing.demoted(target.upstream) }
  })
  const choice = choose(candidates, desk.nowMs(), desk.random)
  if (choice.kind === 'ask') return choice.targets
  throw choice.kind === 'rate_limited'
    ? rateLimited(choice.retryAfterS)
    : unavailable(choice.retryAfterS)
}

type Attempt<Result> = { result: Result } | { failure: Failure; reason: string; final: boolean }

async function tryOne<Name extends keyof Work>(
  desk: Desk,
  ask: Ask<Name>,
  target: ModelTarget,
): Promise<Attempt<Work[Name]['result']>> {
  const line = lineTo(desk, target, ask.signal)
  desk.standing.begin(target)
  try {
    const result = await RUNS[ask.name].run(line, ask.request)
    desk.standing.succeeded(target)
    return { result }
  } catch (error) {
    return afterError(desk, target, error)
  }
}

function afterError(desk: Desk, target: ModelTarget, error: unknown) {
  if (error instanceof Failure) {
    // The request cannot be said in this provider's words; another's may have them.
    desk.standing.failed(target, { kind: 'rejected', why: 'request' })
    return { failure: error, reason: error.kind, final: false }
  }
  if (!(error instanceof Troubled)) {
    desk.standing.failed(target, { kind: 'aborted' })
    throw error
  }
  desk.standing.failed(target, error.trouble)
  const { kind } = error.trouble
  const callers = kind === 'rejected' || kind === 'oversized' || kind === 'aborted'
  return {
    failure: failureOf(error.trouble, error.cause),
    reason: reasonOf(error),
    final: callers || !error.mayRepeat,
  }
}

function reasonOf(error: Troubled): string {
  return error.cause instanceof Error ? error.cause.message : error.trouble.kind
}

function lineTo(desk: Desk, target: ModelTarget, signal: AbortSignal | undefined): Line {
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

async function catalog(desk: Desk, upstream: string, signal: AbortSignal | undefined) {
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

async function probe(desk: Desk, signal: AbortSignal | undefined): Promise<void> {
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

function health(desk: Desk) {
  const names = [...desk.stations.keys()]
  const healthy = names.filter((name) => desk.standing.healthy(name)).length
  return { healthy: healthy > 0, upstreams_total: names.length, upstreams_healthy: healthy }
}

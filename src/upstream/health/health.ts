import { emptyLatencies, LATENCY_STEPS_MS } from '../../lib/telemetry/latency.ts'
import type { Log } from '../../lib/log.ts'
import type { ModelTarget } from '../contract/contract.ts'
import type { AccountWhy, ErrorCategory } from '../contract/upstream-error.ts'
import { began, CLOSED, gateOf, noted, type Circuit, type Sample } from './circuit.ts'

const DEMOTED_MS = 60_000
const UNREACHABLE_AFTER = 3

/** The upstream refuses our key, or our credit there is used up: it is asked last for a while. */
type AccountRefusal = { why: AccountWhy; since: Date; untilMs: number }
type Missed = { count: number; since: Date }

/** For operators only: it names the upstream. */
export type UpstreamProblem = {
  upstream: string
  model?: string
  why: AccountWhy | 'unreachable' | 'circuit_open'
  since: Date
}

/** Since they were last taken: attempts, failures of the upstream, durations of successes. */
export type UpstreamCounts = { calls: number; errors: number; latencies: number[] }

/** Without what the caller caused. */
const COUNTED_AS_ERRORS = new Set([
  'account',
  'rate_limited',
  'overloaded',
  'refused',
  'failed',
  'error',
])

export class UpstreamHealth {
  /** By upstream and model. */
  readonly #circuits = new Map<string, { target: ModelTarget; circuit: Circuit }>()
  readonly #refusals = new Map<string, AccountRefusal>()
  readonly #missedInRow = new Map<string, Missed>()
  readonly #nowMs: () => number
  readonly #log: Log
  #counts = new Map<string, UpstreamCounts>()

  constructor(nowMs: () => number, log: Log) {
    this.#nowMs = nowMs
    this.#log = log
  }

  circuit(target: ModelTarget): Circuit {
    return this.#circuits.get(keyOf(target))?.circuit ?? CLOSED
  }

  /** Asked only when no other is left. */
  demoted(upstream: string): boolean {
    return (this.#refusals.get(upstream)?.untilMs ?? 0) > this.#nowMs()
  }

  begin(target: ModelTarget): void {
    const before = this.circuit(target)
    const after = began(before)
    if (after !== before) this.#set(target, after)
  }

  succeeded(target: ModelTarget): void {
    this.#sample(target, { kind: 'ok' })
    this.#missedInRow.delete(target.upstream)
    if (this.#refusals.delete(target.upstream)) {
      this.#log.info('An upstream accepts our account again.', { upstream: target.upstream })
    }
  }

  failed(target: ModelTarget, category: ErrorCategory): void {
    this.#sample(target, sampleOf(category))
    this.probeFailed(target.upstream, category)
  }

  /** An error answer shows at least that the upstream is reachable. */
  probeFailed(upstream: string, category: ErrorCategory): void {
    if (category.kind === 'account') this.#accountRefused(upstream, category.why)
    else if (category.kind === 'failed' || category.kind === 'overloaded') this.#missed(upstream)
    else if (category.kind !== 'aborted') this.#missedInRow.delete(upstream)
  }

  /** A probe shows that the key works; missing credit shows only in a paid call. */
  probeSucceeded(upstream: string): void {
    this.#missedInRow.delete(upstream)
    if (this.#refusals.get(upstream)?.why === 'key_refused') this.#refusals.delete(upstream)
  }

  /** `outcome` is `ok`, or the kind of error. */
  ended(upstream: string, outcome: string, durationMs: number): void {
    let counts = this.#counts.get(upstream)
    if (counts === undefined) {
      counts = { calls: 0, errors: 0, latencies: emptyLatencies() }
      this.#counts.set(upstream, counts)
    }
    counts.calls += 1
    if (COUNTED_AS_ERRORS.has(outcome)) counts.errors += 1
    if (outcome !== 'ok') return
    const step = LATENCY_STEPS_MS.findIndex((mostMs) => durationMs <= mostMs)
    counts.latencies[step === -1 ? LATENCY_STEPS_MS.length : step]! += 1
  }

  takeCounts(): Map<string, UpstreamCounts> {
    const taken = this.#counts
    this.#counts = new Map()
    return taken
  }

  healthy(upstream: string): boolean {
    return !this.#refusals.has(upstream) && !this.#isUnreachable(upstream)
  }

  problems(): UpstreamProblem[] {
    const refused = [...this.#refusals].map(([upstream, { why, since }]) => ({
      upstream,
      why,
      since,
    }))
    const unreachable = [...this.#missedInRow]
      .filter(([upstream]) => this.#isUnreachable(upstream))
      .map(([upstream, { since }]) => ({ upstream, why: 'unreachable' as const, since }))
    const open = [...this.#circuits.values()]
      .filter(({ circuit }) => gateOf(circuit, this.#nowMs()) === 'open')
      .map(({ target: { upstream, model }, circuit: { openedAtMs } }) => {
        return { upstream, model, why: 'circuit_open' as const, since: new Date(openedAtMs) }
      })
    return [...refused, ...unreachable, ...open]
  }

  #isUnreachable(upstream: string): boolean {
    return (this.#missedInRow.get(upstream)?.count ?? 0) >= UNREACHABLE_AFTER
  }

  #missed(upstream: string): void {
    const known = this.#missedInRow.get(upstream) ?? { count: 0, since: this.#now() }
    this.#missedInRow.set(upstream, { ...known, count: known.count + 1 })
  }

  #accountRefused(upstream: string, why: AccountWhy): void {
    const known = this.#refusals.get(upstream)
    if (known?.why !== why) {
      this.#log.error('An upstream refuses our account.', { upstream, reason: why })
    }
    const since = known?.why === why ? known.since : this.#now()
    this.#refusals.set(upstream, { why, since, untilMs: this.#nowMs() + DEMOTED_MS })
  }

  #sample(target: ModelTarget, sample: Sample): void {
    const before = this.circuit(target)
    const after = noted(before, sample, this.#nowMs())
    if (before.opened === 0 && after.opened > 0) {
      this.#log.warn('A circuit breaker opened: this model is tried elsewhere first.', {
        upstream: target.upstream,
        model: target.model,
      })
    }
    this.#set(target, after)
  }

  #set(target: ModelTarget, circuit: Circuit): void {
    if (circuit === CLOSED) this.#circuits.delete(keyOf(target))
    else this.#circuits.set(keyOf(target), { target, circuit })
  }

  #now(): Date {
    return new Date(this.#nowMs())
  }
}

function keyOf({ upstream, model }: ModelTarget): string {
  return `${upstream} ${model}`
}

function sampleOf(category: ErrorCategory): Sample {
  switch (category.kind) {
    case 'failed':
      return { kind: 'failed' }
    case 'overloaded':
      return { kind: 'failed', retryAfterS: category.retryAfterS }
    case 'rate_limited':
      return { kind: 'rate_limited', retryAfterS: category.retryAfterS }
    default:
      return { kind: 'neutral' }
  }
}

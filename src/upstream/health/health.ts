import type { Log } from '../../lib/log.ts'
import { began, CLOSED, gateOf, noted } from './circuit.ts'
import type { Circuit, Sample } from './circuit.ts'
import type { ModelTarget } from '../contract/contract.ts'
import type { AccountWhy, Trouble } from '../contract/fault.ts'
import type { UpstreamTrouble } from '../work.ts'

const DEMOTED_MS = 60_000
const UNREACHABLE_AFTER = 3

type Mark = { why: AccountWhy; since: Date; untilMs: number }
type Reach = { failuresInRow: number; since: Date | undefined }

/** What is known of every upstream's health. It has a life: samples come in, choices go out. */
export class Standing {
  readonly #circuits = new Map<string, { target: ModelTarget; circuit: Circuit }>()
  readonly #marks = new Map<string, Mark>()
  readonly #reach = new Map<string, Reach>()
  readonly #nowMs: () => number
  readonly #log: Log

  constructor(nowMs: () => number, log: Log) {
    this.#nowMs = nowMs
    this.#log = log
  }

  circuit(target: ModelTarget): Circuit {
    return this.#circuits.get(keyOf(target))?.circuit ?? CLOSED
  }

  demoted(upstream: string): boolean {
    return (this.#marks.get(upstream)?.untilMs ?? 0) > this.#nowMs()
  }

  begin(target: ModelTarget): void {
    const before = this.circuit(target)
    const after = began(before)
    if (after !== before) this.#set(target, after)
  }

  succeeded(target: ModelTarget): void {
    this.#note(target, { kind: 'ok' })
    this.reached(target.upstream)
    if (this.#marks.delete(target.upstream)) {
      this.#log.info('upstream accepts our account again', { upstream: target.upstream })
    }
  }

  failed(target: ModelTarget, trouble: Trouble): void {
    this.#note(target, sampleOf(trouble))
    if (trouble.kind === 'account') this.mark(target.upstream, trouble.why)
    else if (trouble.kind === 'failed' || trouble.kind === 'overloaded') {
      this.unreached(target.upstream)
    } else if (trouble.kind !== 'aborted') this.reached(target.upstream)
  }

  reached(upstream: string): void {
    this.#reach.delete(upstream)
  }

  unreached(upstream: string): void {
    const known = this.#reach.get(upstream) ?? { failuresInRow: 0, since: this.#now() }
    this.#reach.set(upstream, { ...known, failuresInRow: known.failuresInRow + 1 })
  }

  /** Told to the operator, never to a caller. */
  mark(upstream: string, why: AccountWhy): void {
    const known = this.#marks.get(upstream)
    if (known?.why !== why) {
      this.#log.error('upstream refuses our account', { upstream, reason: why })
    }
    const since = known?.why === why ? known.since : this.#now()
    this.#marks.set(upstream, { why, since, untilMs: this.#nowMs() + DEMOTED_MS })
  }

  /** The key works again, as far as a probe can tell; money shows only in a paid call. */
  keyWorks(upstream: string): void {
    this.reached(upstream)
    if (this.#marks.get(upstream)?.why === 'key_refused') this.#marks.delete(upstream)
  }

  healthy(upstream: string): boolean {
    return !this.#marks.has(upstream) && !this.#isUnreachable(upstream)
  }

  troubles(): UpstreamTrouble[] {
    const marks = [...this.#marks].map(([upstream, { why, since }]) => ({ upstream, why, since }))
    const gone = [...this.#reach]
      .filter(([upstream]) => this.#isUnreachable(upstream))
      .map(([upstream, { since }]) => ({
        upstream,
        why: 'unreachable' as const,
        since: since ?? this.#now(),
      }))
    const open = [...this.#circuits.values()]
      .filter(({ circuit }) => gateOf(circuit, this.#nowMs()) === 'open')
      .map(({ target: { upstream, model }, circuit }) => ({
        upstream,
        model,
        why: 'circuit_open' as const,
        since: new Date(circuit.openedAtMs),
      }))
    return [...marks, ...gone, ...open]
  }

  #isUnreachable(upstream: string): boolean {
    return (this.#reach.get(upstream)?.failuresInRow ?? 0) >= UNREACHABLE_AFTER
  }

  #note(target: ModelTarget, sample: Sample): void {
    const before = this.circuit(target)
    const after = noted(before, sample, this.#nowMs())
    if (before.opened === 0 && after.opened > 0) {
      this.#log.warn('circuit opened', { upstream: target.upstream, model: target.model })
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

function sampleOf(trouble: Trouble): Sample {
  switch (trouble.kind) {
    case 'failed':
      return { kind: 'failed' }
    case 'overloaded':
      return { kind: 'failed', retryAfterS: trouble.retryAfterS }
    case 'rate_limited':
      return { kind: 'rate_limited', retryAfterS: trouble.retryAfterS }
    default:
      return { kind: 'neutral' }
  }
}

import { sha256 } from '../../lib/secrets.ts'

/** The state of one model at one upstream. Immutable. */
export type Circuit = {
  /** Newest last. */
  samples: readonly { atMs: number; ok: boolean }[]
  failuresInRow: number
  /** 0 while closed. */
  openUntilMs: number
  openedAtMs: number
  /** How often it opened since it last closed; each time twice as long. */
  opened: number
  probing: boolean
  /** The upstream asked for a pause (429). */
  coolUntilMs: number
}

export type Sample =
  | { kind: 'ok' }
  | { kind: 'failed'; retryAfterS?: number | undefined }
  | { kind: 'rate_limited'; retryAfterS: number | undefined }
  | { kind: 'neutral' } // says nothing about the upstream: the caller left, or erred

export const CLOSED: Circuit = {
  samples: [],
  failuresInRow: 0,
  openUntilMs: 0,
  openedAtMs: 0,
  opened: 0,
  probing: false,
  coolUntilMs: 0,
}

const WINDOW_MS = 30_000
const SAMPLES_KEPT = 50
const SAMPLES_NEEDED = 10
const FAILURES_IN_ROW = 5
const SHORTEST_OPEN_MS = 5_000
const LONGEST_OPEN_MS = 60_000

export type Gate = 'closed' | 'half_open' | 'open' | 'cooling'

export function gateOf(circuit: Circuit, nowMs: number): Gate {
  if (circuit.openUntilMs > nowMs) return 'open'
  if (circuit.opened > 0) return circuit.probing ? 'open' : 'half_open'
  return circuit.coolUntilMs > nowMs ? 'cooling' : 'closed'
}

/** In a half-open circuit the call is the probe, and no other may pass. */
export function began(circuit: Circuit): Circuit {
  return circuit.opened > 0 ? { ...circuit, probing: true } : circuit
}

export function noted(circuit: Circuit, sample: Sample, nowMs: number): Circuit {
  switch (sample.kind) {
    case 'neutral':
      return { ...circuit, probing: false }
    case 'rate_limited':
      return { ...circuit, probing: false, coolUntilMs: until(nowMs, sample.retryAfterS) }
    case 'ok':
      if (circuit.opened === 0) return withSample(circuit, true, nowMs)
      return circuit.probing ? CLOSED : circuit
    default:
      // A late end of a call from before the opening shows nothing new.
      if (circuit.opened > 0 && !circuit.probing) return circuit
      return afterFailure(withSample(circuit, false, nowMs), sample.retryAfterS, nowMs)
  }
}

function withSample(circuit: Circuit, ok: boolean, nowMs: number): Circuit {
  const { samples } = circuit
  // Runs for every call: usually only the oldest sample goes.
  const allRecent = samples.length === 0 || samples[0]!.atMs > nowMs - WINDOW_MS
  const recent = allRecent
    ? samples.slice(1 - SAMPLES_KEPT)
    : samples.filter((sample) => sample.atMs > nowMs - WINDOW_MS).slice(1 - SAMPLES_KEPT)
  recent.push({ atMs: nowMs, ok })
  return { ...circuit, samples: recent, failuresInRow: ok ? 0 : circuit.failuresInRow + 1 }
}

function afterFailure(circuit: Circuit, retryAfterS: number | undefined, nowMs: number): Circuit {
  const probeFailed = circuit.opened > 0 && circuit.probing
  const delayGiven = retryAfterS !== undefined
  if (!probeFailed && !delayGiven && !isFailing(circuit)) return { ...circuit, probing: false }
  const backoffMs = Math.min(LONGEST_OPEN_MS, SHORTEST_OPEN_MS * 2 ** circuit.opened)
  const openMs = delayGiven ? until(0, retryAfterS) : backoffMs
  return {
    ...CLOSED,
    openUntilMs: nowMs + openMs,
    openedAtMs: circuit.opened > 0 ? circuit.openedAtMs : nowMs,
    opened: Math.min(circuit.opened + 1, 10),
  }
}

function isFailing({ samples, failuresInRow }: Circuit): boolean {
  if (failuresInRow >= FAILURES_IN_ROW) return true
  const failed = samples.filter((sample) => !sample.ok).length
  return samples.length >= SAMPLES_NEEDED && failed * 2 >= samples.length
}

/** Retry-After is honoured up to a minute: a probe comes earlier. */
function until(nowMs: number, retryAfterS: number | undefined): number {
  return nowMs + Math.min(LONGEST_OPEN_MS, (retryAfterS ?? 0) * 1000)
}

export type Candidate<Target> = {
  target: Target
  priority: number
  /** Within a priority. */
  weight: number
  circuit: Circuit
  /** The upstream refuses our account: asked only when no other is left. */
  demoted: boolean
}

/** The targets in order, or why and for how long none may be asked. */
export type RoutingChoice<Target> =
  | { kind: 'ask'; targets: Target[] }
  | { kind: 'rate_limited' | 'unavailable'; retryAfterS: number }

/** Pure. `draw` gives a number from 0 to below 1 for each: at random, or the same for a session. */
export function choose<Target>(
  candidates: readonly Candidate<Target>[],
  nowMs: number,
  draw: (target: Target) => number,
): RoutingChoice<Target> {
  const open = candidates.filter(({ circuit }) => {
    const gate = gateOf(circuit, nowMs)
    return gate === 'closed' || gate === 'half_open'
  })
  if (open.length === 0) return blocked(candidates, nowMs)
  if (open.length === 1) return { kind: 'ask', targets: [open[0]!.target] }
  const ranked = new Map<number, Candidate<Target>[]>()
  for (const candidate of open) {
    const rank = candidate.priority + (candidate.demoted ? DEMOTION : 0)
    ranked.set(rank, [...(ranked.get(rank) ?? []), candidate])
  }
  const ranks = [...ranked.keys()].sort((a, b) => a - b)
  return { kind: 'ask', targets: ranks.flatMap((rank) => drawn(ranked.get(rank)!, draw)) }
}

const DEMOTION = 1_000_000

/**
 * The first is drawn with a chance by its weight, then the next among the rest. A draw belongs to
 * its target: where one goes away, the order of the others stays.
 */
function drawn<Target>(
  group: readonly Candidate<Target>[],
  draw: (target: Target) => number,
): Target[] {
  if (group.length === 1) return [group[0]!.target]
  const waits = group.map(({ target, weight }) => {
    return { target, wait: -Math.log(draw(target)) / weight }
  })
  return waits.sort(byWait).map(({ target }) => target)
}

function byWait(a: { wait: number }, b: { wait: number }): number {
  return a.wait < b.wait ? -1 : Number(a.wait > b.wait)
}

/**
 * The draw of a session: always the same for an upstream, in every process, without a memory. So a
 * conversation goes where its beginning may be in a cache.
 */
export function sessionDraw(session: string): (target: { upstream: string }) => number {
  return ({ upstream }) => sha256(`${session} ${upstream}`).readUIntBE(0, 6) / 2 ** 48
}

/** A rate limit if all of them asked for a pause. */
function blocked<Target>(
  candidates: readonly Candidate<Target>[],
  nowMs: number,
): Exclude<RoutingChoice<Target>, { kind: 'ask' }> {
  const cooling = candidates.every(({ circuit }) => gateOf(circuit, nowMs) === 'cooling')
  const waits = candidates.map(({ circuit }) =>
    Math.max(circuit.openUntilMs, circuit.coolUntilMs) > nowMs
      ? Math.max(circuit.openUntilMs, circuit.coolUntilMs) - nowMs
      : 1000,
  )
  const retryAfterS = Math.max(1, Math.ceil(Math.min(...waits, 60_000) / 1000))
  return { kind: cooling && candidates.length > 0 ? 'rate_limited' : 'unavailable', retryAfterS }
}

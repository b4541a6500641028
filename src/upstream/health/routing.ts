import { gateOf, type Circuit } from './circuit.ts'

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

/** Pure: `random` returns 0 to below 1. */
export function choose<Target>(
  candidates: readonly Candidate<Target>[],
  nowMs: number,
  random: () => number,
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
  return { kind: 'ask', targets: ranks.flatMap((rank) => shuffled(ranked.get(rank)!, random)) }
}

const DEMOTION = 1_000_000

function shuffled<Target>(group: Candidate<Target>[], random: () => number): Target[] {
  const rest = [...group]
  const order: Target[] = []
  while (rest.length > 0) {
    const [picked] = rest.splice(pick(rest, random()), 1)
    order.push(picked!.target)
  }
  return order
}

function pick(group: readonly Candidate<unknown>[], share: number): number {
  const total = group.reduce((sum, { weight }) => sum + weight, 0)
  let left = share * total
  const index = group.findIndex(({ weight }) => (left -= weight) < 0)
  return index === -1 ? group.length - 1 : index
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

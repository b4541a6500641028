/** Every choice of a run comes from one seed, so that a run that failed can be run again. */
export type Random = {
  /** In [0, 1). */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  weighted<T extends { weight: number }>(list: readonly T[]): T
  /** An independent source, e.g. for one player: what others draw does not change what it draws. */
  fork(name: string): Random
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: (list) => list[between(0, list.length - 1)]!,
    weighted(list) {
      let left = next() * list.reduce((sum, one) => sum + one.weight, 0)
      return list.find((one) => (left -= one.weight) < 0) ?? list.at(-1)!
    },
    fork: (name) => seededRandom(hash(`${seed}/${name}`)),
  }
}

function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0
  }
  return value
}

/** Compact JSON with the keys of every object sorted: the same value gives the same bytes. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value, 0))
}

const DEEPEST = 32

function sorted(value: unknown, depth: number): unknown {
  if (depth > DEEPEST) throw new RangeError('too deep')
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  // fromEntries, so that a key named __proto__ stays a plain member.
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item, depth + 1)]))
}

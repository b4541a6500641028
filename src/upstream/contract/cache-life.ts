import { fieldsOf } from '../../lib/json.ts'

type Life = 'cacheWrite30mTokens' | 'cacheWrite1hTokens' | 'cacheWrite12hTokens'
type Writes = Record<Life | 'all', unknown[]>

/**
 * Written tokens by how long they are cached: `ephemeral_1h_input_tokens`, `ttl_12h_tokens`. A name
 * without a time counts as the longest.
 */
export function writesByLife(details: unknown): Writes {
  const found: Writes = {
    all: [],
    cacheWrite30mTokens: [],
    cacheWrite1hTokens: [],
    cacheWrite12hTokens: [],
  }
  for (const [name, value] of Object.entries(fieldsOf(details))) {
    const [, length = '12', unit = 'h'] = /_(\d{1,4})([mh])_/.exec(name) ?? []
    const life = lifeOf(Number(length) * (unit === 'h' ? 60 : 1))
    found.all.push(value)
    if (life !== undefined) found[life].push(value)
  }
  return found
}

/** Undefined: the usual few minutes. */
function lifeOf(minutes: number): Life | undefined {
  if (minutes <= 5) return undefined
  if (minutes <= 30) return 'cacheWrite30mTokens'
  return minutes <= 60 ? 'cacheWrite1hTokens' : 'cacheWrite12hTokens'
}

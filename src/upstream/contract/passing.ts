import type { Members, Rule } from '../../lib/json.ts'

/**
 * Which of a caller's fields an upstream gets: those that are known to cost no more than what the
 * upstream reports as ordinary use, and to reach nothing of the operator's account.
 */
export type Passing = {
  fields: Members
  /** What else passes if the catalog lists it for the model; where absent, whatever it lists. */
  ifListed?: ReadonlySet<string>
  /** All other fields, where the contract wants them to pass. */
  rest?: Rule
}

/** A part of a table: where its fields are described, and what passes of each. */
export function from(_source: string, ...parts: readonly (string | Members)[]): Members {
  const members = parts.map((part) => (typeof part === 'string' ? plain(part) : part))
  return Object.assign({}, ...members) as Members
}

/** Names with a space between them, here and below. */
export function plain(names: string): Members {
  return each(names, 'plain')
}

/** We answer for them, or something of ours is sent in their place. */
export function ours(names: string): Members {
  return each(names, 'ours')
}

export function anything(names: string): Members {
  return each(names, 'any')
}

function each(names: string, rule: Rule): Members {
  return Object.fromEntries(names.split(' ').map((name) => [name, rule]))
}

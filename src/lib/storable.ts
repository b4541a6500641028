/*
 * The one rule for text that may reach a table, whoever wrote it: a caller, a payment provider, an
 * identity provider or an upstream. PostgreSQL keeps no NUL in text, and neither that nor half of a
 * surrogate pair in JSON: an insert of such a text is an error of ours, and a 500.
 */

export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** For foreign lists, where one odd name must not stop the rest: what cannot be kept is taken out. */
export function storable<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, clean)) as T
}

function clean(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value
}

/** Where in a JSON value the first text is that cannot be kept: `a.b[0]`, empty for the value itself. */
export function unstorableField(value: unknown, at = ''): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : at
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const path = Array.isArray(value) ? `${at}[${name}]` : `${at}${at && '.'}${name}`
    // A name cannot be quoted in the answer when it is the name that is wrong.
    const found = isStorable(name) ? unstorableField(member, path) : at
    if (found !== undefined) return found
  }
  return undefined
}

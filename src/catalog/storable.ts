/**
 * What PostgreSQL cannot keep in JSON (NUL, half of a surrogate pair) is taken out of foreign text,
 * so that one odd name cannot stop the sync of all the others.
 */
export function storable<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, clean)) as T
}

function clean(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value
}

/** A JSON object whose members have not been looked at yet. */
export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value when it is an object, else an empty one: for optional members. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

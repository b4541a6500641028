/**
 * A list as PostgreSQL reads it: `{a,"b c",NULL}`. The driver's own way looks at every letter of
 * every element and was the largest maker of garbage in a billed call. Undefined for what it should
 * do itself, such as lists of lists.
 */
export function arrayLiteral(values: readonly unknown[]): string | undefined {
  const parts: string[] = []
  for (const value of values) {
    const part = elementText(value)
    if (part === undefined) return undefined
    parts.push(part)
  }
  return `{${parts.join()}}`
}

/** Neither empty nor `null`, and without a letter that means something in a list. */
const PLAIN = /^(?!null$)[\w.:/+-]+$/i
const SPECIAL = /["\\]/g

/** Without control characters JSON's way to quote is the same, and five times as fast. */
const SAME_AS_JSON = /^[\x20-\ud7ff\ue000-\uffff]*$/

function quoted(value: string): string {
  return SAME_AS_JSON.test(value) ? JSON.stringify(value) : `"${value.replace(SPECIAL, '\\$&')}"`
}

function elementText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return PLAIN.test(value) ? value : quoted(value)
    case 'bigint':
    case 'number':
    case 'boolean':
      return String(value)
    default:
      if (value === null || value === undefined) return 'NULL'
      if (value instanceof Date) return `"${value.toISOString()}"`
      if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`
      return undefined
  }
}

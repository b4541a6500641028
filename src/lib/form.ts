import { invalidField } from './failure.ts'

/** A multipart form, read whole. A field may come more than once. */
export type Form = {
  fields: ReadonlyMap<string, readonly string[]>
  file: { name: string; filename: string; mimetype: string; bytes: Buffer } | undefined
}

/** The one value of a field; an empty one counts as none. */
export function formField({ fields }: Form, name: string): string | undefined {
  const values = fields.get(name)
  if (values === undefined || values[0] === '') return undefined
  if (values.length > 1) throw invalidField(name, 'must be sent once')
  return values[0]
}

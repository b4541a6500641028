import { invalidField } from './failure.ts'

export type MultipartPart =
  | { kind: 'field'; name: string; value: string }
  | { kind: 'file'; name: string; filename: string; mimetype: string; bytes: Buffer }

/** A multipart form, read whole. A field may come more than once. */
export type Form = {
  fields: ReadonlyMap<string, readonly string[]>
  file: { name: string; filename: string; mimetype: string; bytes: Buffer } | undefined
}

/** Reads a form to its end: fields may stand before or after the file. */
export async function readForm(parts: AsyncIterable<MultipartPart>): Promise<Form> {
  const fields = new Map<string, string[]>()
  let file: Form['file']
  for await (const part of parts) {
    if (part.kind === 'file') file = part
    else fields.set(part.name, [...(fields.get(part.name) ?? []), part.value])
  }
  return { fields, file }
}

/** The one value of a field; an empty one counts as none. */
export function formField({ fields }: Form, name: string): string | undefined {
  const values = fields.get(name)
  if (values === undefined || values[0] === '') return undefined
  if (values.length > 1) throw invalidField(name, 'must be sent once')
  return values[0]
}

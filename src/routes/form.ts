import type { MultipartPart } from '../http/route.ts'
import type { Form } from '../lib/form.ts'

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

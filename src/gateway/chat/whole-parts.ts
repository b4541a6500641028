import { Failure } from '../../lib/failure.ts'
import { isFields, type Fields } from '../../lib/fields.ts'
import { PartReader, type Part } from './answer-parts.ts'

/** A part with all of its text; that of a call is its arguments. */
export type WholePart = Part & { text: string }

/** The parts of a whole message, read in the same way as those of a stream. */
export function wholeParts(message: Fields, mintId: () => string): WholePart[] {
  const parts: WholePart[] = []
  const reader = new PartReader(
    {
      open: (part) => void parts.push({ ...part, text: '' }),
      delta: (part, text) => void (parts[part.position]!.text += text),
      close: (part) => void (parts[part.position]!.whole = part.whole),
    },
    mintId,
  )
  reader.add(message)
  reader.end()
  return parts
}

/** The arguments of a call. Throws if they are no JSON object: nobody could run it. */
export function inputOf({ text }: WholePart): Fields {
  try {
    const input: unknown = JSON.parse(text)
    if (isFields(input)) return input
  } catch {
    // Falls through: broken JSON and a value that is not an object are one failure.
  }
  throw new Failure('upstream_failed', 'The model called a tool with broken arguments.')
}

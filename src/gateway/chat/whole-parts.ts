import { isFields, parseForeignJson, type Fields } from '../../lib/json.ts'
import { PartReader, type Part } from './answer-parts.ts'
import { brokenCall } from './dialects.ts'

/** `text` of a call is its arguments. */
export type WholePart = Part & { text: string }

/** Reads a whole message as a stream is read. */
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

/** Throws if the arguments of a call are no JSON object. */
export function inputOf({ text }: WholePart): Fields {
  try {
    const input = parseForeignJson(text)
    if (isFields(input)) return input
  } catch {
    // Broken JSON and a value that is not an object are one failure.
  }
  throw brokenCall()
}

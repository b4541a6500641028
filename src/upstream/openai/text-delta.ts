/** Most events are pieces of one text, which differ only in that piece and their number. */
export type TextDelta = { before: string; text: string; after: string }

/* The usual form. Any other is parsed. */
const BEFORE =
  /^\{"type":"response\.output_text\.delta"(?:,"(?:item_id":"[\w-]+"|(?:output|content)_index":\d+))*,"delta":"/
/** OpenAI writes the number second. */
const START = '{"type":"response.output_text.delta"'
const NUMBER = `${START},"sequence_number":`
const TEXT = /^[^\\\p{Cc}]*$/u
const AFTER = /^"(?:,"(?:sequence_number":\d+|logprobs":\[\]|obfuscation":"[\w-]*"))*\}$/

/**
 * Undefined if it is not plain text. `known` is how the last one began. The number is left out:
 * events get ours.
 */
export function textDelta(event: string, known?: string): TextDelta | undefined {
  const data = withoutNumber(event)
  const alike = known !== undefined && data.slice(0, known.length) === known
  const before = alike ? known : BEFORE.exec(data)?.[0]
  if (before === undefined) return undefined
  const end = data.indexOf('"', before.length)
  if (end < 0) return undefined
  const text = data.slice(before.length, end)
  const after = data.slice(end)
  return TEXT.test(text) && AFTER.test(after) ? { before, text, after } : undefined
}

function withoutNumber(event: string): string {
  if (!event.startsWith(NUMBER)) return event
  let end = NUMBER.length
  while (isDigit(event.charCodeAt(end))) end++
  return end === NUMBER.length ? event : START + event.slice(end)
}

function isDigit(letter: number): boolean {
  return letter >= 0x30 && letter <= 0x39
}

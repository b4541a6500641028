/** Most events of a stream are pieces of one text, which differ in that piece and their number only. */
export type TextDelta = { before: string; text: string; after: string }

/** As it is written by the servers that speak the dialect. Any other form is read as JSON. */
const DELTA =
  /^(\{"type":"response\.output_text\.delta"(?:,"(?:item_id":"[\w-]+"|(?:output|content)_index":\d+))*,"delta":")([^"\\\p{Cc}]*)("(?:,"(?:sequence_number":\d+|logprobs":\[\]|obfuscation":"[\w-]*"))*\})$/u

/** Undefined for whatever is not plainly a piece of text. Its text needs no unescaping. */
export function textDelta(data: string): TextDelta | undefined {
  const found = DELTA.exec(data)
  if (found === null) return undefined
  const [, before, text, after] = found
  return { before: before!, text: text!, after: after! }
}

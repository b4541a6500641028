/** Of what is longer nothing is kept, so that no time is spent on it. */
const LONGEST = 10_000

/**
 * Text by which a person names something, as others will read it: without characters that nobody
 * sees or that turn the order of the text around it, with which one name can pass for another. Of
 * them only what joins emoji stays.
 */
export function visibleText(text: string): string {
  if (text.length > LONGEST) return text
  return text.replace(INVISIBLE, (_, emoji: string | undefined) => emoji ?? '')
}

/** An emoji with its colour and joiner, or a character that is not seen: the second is left out. */
const INVISIBLE =
  /(\p{ExtPict}[\p{EMod}\u{FE0F}]?(?:\u{200D}(?=\p{ExtPict}))?)|[\p{Default_Ignorable_Code_Point}\p{Cf}\u{2800}]/gu

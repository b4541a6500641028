/* An upstream's words, for a caller who speaks its dialect and acts on them. */

const LONGEST = 300

/** Without what names its account, our keys or its machines. */
export function scrubbed(text: string): string {
  const plain = text
    .replaceAll(/\bhttps?:\/\/\S+/gi, '(link)')
    .replaceAll(/[\w.+-]{1,64}@[\w.-]{1,253}/g, '(address)')
    .replaceAll(/\b(?:sk|key|org|req|wrkspc|workspace|apikey|user|acct)[-_][\w-]{6,}/gi, '(id)')
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '(id)')
    .replaceAll(/\b\d{1,3}(?:\.\d{1,3}){3}\b/g, '(address)')
    .replaceAll(/\p{Cc}+/gu, ' ')
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain
}

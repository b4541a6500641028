const MOST_PAGES = 5_000
const HEAD_BYTES = 1_024
const MOST_OBJECTS = 100_000
const PAGE = Buffer.from('/Page')
const SPACE = 0x20
const S = 0x73

/**
 * How many pages a PDF has; undefined where plain text does not say so. Only scanned: unpacking a
 * few kilobytes could fill the memory, and this only sizes a hold.
 */
export function pdfPages(bytes: Buffer): number | undefined {
  const pages = linearized(bytes) ?? pageObjects(bytes)
  return pages > 0 && pages <= MOST_PAGES ? pages : undefined
}

/** A file optimised for the web begins with its page count. */
function linearized(bytes: Buffer): number | undefined {
  const head = bytes.toString('latin1', 0, HEAD_BYTES)
  const start = head.indexOf('/Linearized')
  if (start < 0) return undefined
  const end = head.indexOf('>', start)
  const count = /\/N\s{1,8}(\d{1,6})\b/.exec(head.slice(start, end < 0 ? undefined : end))?.[1]
  return count === undefined ? undefined : Number(count)
}

/** Page objects may be packed into streams and are then not seen. */
function pageObjects(bytes: Buffer): number {
  let count = 0
  let at = bytes.indexOf('/Type')
  for (let objects = 0; at >= 0 && objects < MOST_OBJECTS; objects++) {
    if (isPage(bytes, at + 5)) count += 1
    at = bytes.indexOf('/Type', at + 5)
  }
  return at < 0 ? count : 0
}

/** `/Type/Page` or `/Type /Page`, but not `/Type /Pages`. */
function isPage(bytes: Buffer, after: number): boolean {
  const at = bytes[after] === SPACE ? after + 1 : after
  return bytes.compare(PAGE, 0, PAGE.length, at, at + PAGE.length) === 0 && bytes[at + 5] !== S
}

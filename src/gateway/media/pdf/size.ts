import { constants, inflateSync } from 'node:zlib'
import { addPackedObjects, pdfObjects, type PdfObjects, type PdfStream } from './objects.ts'
import { textIn } from './text.ts'
import { isDictionary, itemsOf, type PdfFields } from './values.ts'

/** How long a PDF is; undefined where that cannot be seen. */
export type PdfSize = { pages: number; textBytes: number } | undefined

/** Of all streams together: more text than any model reads, and a fraction of a second. */
const MOST_UNPACKED = 16 * 1024 * 1024

/**
 * The larger of the pages found, those that the tree of pages leads to, and those it claims; and what
 * the streams show, unpacked one after the other and thrown away.
 */
export function pdfSize(bytes: Buffer): PdfSize {
  const objects = bytes.includes('/Encrypt') ? undefined : pdfObjects(bytes)
  if (objects === undefined) return undefined
  const unpack = unpacker(bytes)
  const { streams } = objects
  for (const stream of streams.filter(isPacked)) {
    const content = unpack(stream)
    if (content === undefined) return undefined
    addPackedObjects(content, stream, objects)
  }
  const rest = streams.filter((stream) => !isPacked(stream))
  const textBytes = textOf(rest, objects, unpack)
  const pages = pagesOf(objects)
  return textBytes === undefined || pages === 0 ? undefined : { pages, textBytes }
}

/** Of the tree: what its branches lead to, without the branches themselves. */
function pagesOf({ pages, branches, countClaimed }: PdfObjects): number {
  const kids = [...branches.values()].reduce((sum, count) => sum + count, 0)
  return Math.max(pages.size, countClaimed, kids - Math.max(0, branches.size - 1))
}

function isPacked({ fields }: PdfStream): boolean {
  return fields.get('Type') === '/ObjStm'
}

type Unpack = (stream: PdfStream) => Buffer | undefined

function textOf(streams: PdfStream[], objects: PdfObjects, unpack: Unpack): number | undefined {
  const uses = usesOf(objects)
  const called = { forms: 0, calls: 0, longest: 0 }
  let textBytes = objects.saidBytes
  for (const stream of streams) {
    const used = uses.get(stream.number) ?? 0
    if (isPicture(stream, objects)) {
      if (used > 0) return undefined
      continue
    }
    const content = unpack(stream)
    if (content === undefined) return undefined
    const text = textIn(content)
    if (text.longestCode > LONGEST_CODE) return undefined
    textBytes += text.bytes * Math.max(1, used)
    called.calls += text.calls * Math.max(1, used)
    if (stream.fields.get('Subtype') === '/Form') {
      called.forms += 1
      called.longest = Math.max(called.longest, text.bytes)
    }
  }
  return isRepeated(called) ? undefined : textBytes
}

/** A code of a font stands for one letter, or three that are written as one. */
const LONGEST_CODE = 32
const MOST_CALLS_EACH = 16
const MUCH_TEXT = 100_000

/** A stream with text that others call for many times may say more than can be seen. */
function isRepeated({ forms, calls, longest }: { forms: number; calls: number; longest: number }) {
  return calls > forms * MOST_CALLS_EACH && calls * longest > MUCH_TEXT
}

/** How many pages show each stream. */
function usesOf({ shownBy, lists }: PdfObjects): Map<number, number> {
  const uses = new Map<number, number>()
  for (const [shown, { size }] of shownBy) {
    for (const number of lists.get(shown) ?? [shown]) {
      uses.set(number, (uses.get(number) ?? 0) + size)
    }
  }
  return uses
}

const PICTURE_FILTERS = new Set(['/DCTDecode', '/JPXDecode', '/CCITTFaxDecode', '/JBIG2Decode'])

/** What has no text to show, and may be large: pictures, fonts, the table of objects. */
function isPicture({ number, fields }: PdfStream, { fonts }: PdfObjects): boolean {
  const last = itemsOf(fields.get('Filter')).at(-1)
  return (
    fields.get('Subtype') === '/Image' ||
    fields.get('Type') === '/XRef' ||
    fonts.has(number) ||
    (typeof last === 'string' && PICTURE_FILTERS.has(last))
  )
}

const END = 'endstream'

/** However little it holds, a stream takes time. */
const LEAST_UNPACKED = 1_024

/** Undefined once all together are too large, or where the filters are others. */
function unpacker(bytes: Buffer): Unpack {
  let left = MOST_UNPACKED
  return ({ fields, start }) => {
    const filters = itemsOf(fields.get('Filter'))
    if (filters.some((one) => one !== '/FlateDecode') || isPredicted(fields)) return undefined
    const end = bytes.indexOf(END, start)
    // The word `stream` ends with one or two signs for a new line.
    const from = start + (bytes[start] === 13 ? 1 : 0) + 1
    let content = bytes.subarray(from, filters.length > 0 || end < 0 ? undefined : end)
    for (let i = 0; i < filters.length; i++) {
      const inflated = inflate(content, Math.max(left, 1))
      if (inflated === undefined) return undefined
      content = inflated
      left -= content.length
    }
    left -= Math.max(LEAST_UNPACKED, filters.length === 0 ? content.length : 0)
    return left >= 0 ? content : undefined
  }
}

/** Text that is written as the difference to the line before. */
function isPredicted(fields: PdfFields): boolean {
  const all = [...itemsOf(fields.get('DecodeParms')), ...itemsOf(fields.get('DP'))]
  return all.some((one) => {
    if (!isDictionary(one)) return typeof one === 'object'
    const predictor = one.get('Predictor')
    return predictor !== undefined && predictor !== 1
  })
}

function inflate(packed: Buffer, mostBytes: number): Buffer | undefined {
  try {
    const { Z_SYNC_FLUSH: finishFlush } = constants
    return inflateSync(packed, { maxOutputLength: mostBytes, finishFlush })
  } catch {
    return undefined
  }
}

import { PdfTokens } from './tokens.ts'

/** Names begin with a slash. Strings, truths and nulls are `OTHER`: their value is of no interest. */
export type PdfValue = number | string | { ref: number } | PdfValue[] | PdfFields | typeof OTHER
export type PdfFields = Map<string, PdfValue>

const OTHER = Symbol('other')

/** Lists and fields with where they begin, the word at which reading ended, and all strings' bytes. */
export type PdfValues = {
  values: { at: number; value: PdfValue[] | PdfFields }[]
  end: string
  at: number
  saidBytes: number
}

/** Reads up to one of the words `ends`, and no further than `end`. */
export function readValues(
  bytes: Buffer,
  ends: ReadonlySet<string>,
  at = 0,
  end = bytes.length,
): PdfValues {
  const tokens = new PdfTokens(bytes, at, end)
  const found: PdfValues = { values: [], end: '', at, saidBytes: 0 }
  const open: Open[] = []
  for (let kind = tokens.next(); kind !== undefined; kind = tokens.next()) {
    if (kind === '[' || kind === '<<') push(open, { isDictionary: kind === '<<', at: tokens.start })
    else if (kind === ']' || kind === '>>') close(open, found)
    else if (kind === 'word') {
      const word = tokens.text
      if (ends.has(word)) {
        found.end = word
        break
      }
      if (word === 'R') refer(open.at(-1)?.items)
      else open.at(-1)?.items.push(OTHER)
    } else if (kind === 'string') {
      found.saidBytes += tokens.size
      open.at(-1)?.items.push(OTHER)
    } else if (kind === 'number') open.at(-1)?.items.push(Number(tokens.text))
    else open.at(-1)?.items.push(`/${tokens.text}`)
  }
  while (open.length > 0) close(open, found)
  found.at = tokens.at
  return found
}

type Open = { isDictionary: boolean; at: number; items: PdfValue[] }

const DEEPEST = 100

function push(open: Open[], { isDictionary, at }: Omit<Open, 'items'>): void {
  if (open.length < DEEPEST) open.push({ isDictionary, at, items: [] })
}

function close(open: Open[], found: PdfValues): void {
  const last = open.pop()
  if (last === undefined) return
  const value = last.isDictionary ? dictionaryOf(last.items) : last.items
  const outer = open.at(-1)
  if (outer === undefined) found.values.push({ at: last.at, value })
  else outer.items.push(value)
}

/** `12 0 R`: its numbers have been read as two values. */
function refer(items: PdfValue[] | undefined): void {
  items?.pop()
  const number = items?.pop()
  if (typeof number === 'number') items!.push({ ref: number })
}

function dictionaryOf(items: PdfValue[]): PdfFields {
  const fields: PdfFields = new Map()
  for (let i = 0; i + 1 < items.length; i++) {
    const name = items[i]
    if (typeof name !== 'string') continue
    fields.set(name.slice(1), items[i + 1]!)
    i += 1
  }
  return fields
}

export function isDictionary(value: PdfValue | undefined): value is PdfFields {
  return value instanceof Map
}

/** A list, or the one value that stands for a list of one. */
export function itemsOf(value: PdfValue | undefined): PdfValue[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value]
}

export function refsIn(value: PdfValue | undefined): number[] {
  return itemsOf(value).flatMap((one) => (typeof one === 'object' && 'ref' in one ? [one.ref] : []))
}

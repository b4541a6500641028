import { isDictionary, readValues, refsIn, type PdfFields, type PdfValue } from './values.ts'

/** Something that may be packed, and what its fields say of it. */
export type PdfStream = { number: number; fields: PdfFields; start: number }

/** What the objects of a file say, wherever they stand. */
export type PdfObjects = {
  streams: PdfStream[]
  /** Lists of references, by number. */
  lists: Map<number, number[]>
  /** The pages, and how many each branch of their tree leads to. */
  pages: Set<number>
  branches: Map<number, number>
  /** The most that a branch claims to have. */
  countClaimed: number
  /** Which pages show an object. */
  shownBy: Map<number, Set<number>>
  fonts: Set<number>
  saidBytes: number
}

/**
 * `id` tells pages apart. Of an object that stands in the file itself, and may have an older version
 * there, it is the number; packed and nested ones have one each.
 */
type Place = { number: number; id: number }

const HEADER = /(\d{1,10})\s*\d{1,6}\s*$/
const LONGEST_HEADER = 32
const MOST_OBJECTS = 400_000
/** An object without an end reaches over all that follow. */
const MOST_READINGS = 3
const ENDS = new Set(['endobj', 'stream', 'obj', 'xref', 'trailer'])
const NONE = new Set<string>()

/**
 * Looks for objects by the word that begins each, in the whole file: the table that says where they
 * are may leave some out. Undefined for more than any file has.
 */
export function pdfObjects(bytes: Buffer): PdfObjects | undefined {
  const found = noObjects()
  let count = 0
  let bytesLeft = bytes.length * MOST_READINGS
  for (let at = bytes.indexOf('obj'); at >= 0; at = bytes.indexOf('obj', at + 3)) {
    const header = HEADER.exec(bytes.toString('latin1', Math.max(0, at - LONGEST_HEADER), at))
    if (header === null) continue
    if (++count > MOST_OBJECTS || bytesLeft < 0) return undefined
    const { values, end, at: next, saidBytes } = readValues(bytes, ENDS, at + 3)
    bytesLeft -= next - at
    found.saidBytes += saidBytes
    const value = values[0]?.value
    const number = Number(header[1])
    if (end === 'stream') found.streams.push({ number, fields: dictionaryAt(value), start: next })
    if (value !== undefined) note(value, { number, id: number }, found)
  }
  return found
}

function dictionaryAt(value: PdfValue | undefined): PdfFields {
  return isDictionary(value) ? value : new Map()
}

function noObjects(): PdfObjects {
  return {
    streams: [],
    lists: new Map(),
    pages: new Set(),
    branches: new Map(),
    countClaimed: 0,
    shownBy: new Map(),
    fonts: new Set(),
    saidBytes: 0,
  }
}

/** Objects packed together; their numbers and places stand before them. */
export function addPackedObjects(bytes: Buffer, { fields }: PdfStream, found: PdfObjects): void {
  const { values, saidBytes } = readValues(bytes, NONE)
  found.saidBytes += saidBytes
  const numbers = packedNumbers(bytes, Number(fields.get('First')))
  for (const { at, value } of values) {
    note(value, { number: numbers.get(at) ?? NO_NUMBER, id: ownId(found) }, found)
  }
}

function packedNumbers(bytes: Buffer, first: number): Map<number, number> {
  const numbers = new Map<number, number>()
  if (!(first > 0 && first < bytes.length)) return numbers
  const pairs = bytes.toString('latin1', 0, first).trim().split(/\s+/)
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    numbers.set(first + Number(pairs[i + 1]), Number(pairs[i]))
  }
  return numbers
}

const FONTS = ['FontFile', 'FontFile2', 'FontFile3']

/** Objects may stand in each other's fields. */
function note(value: PdfValue, place: Place, found: PdfObjects): void {
  if (Array.isArray(value)) {
    const refs = refsIn(value)
    if (place.number !== NO_NUMBER && refs.length > 0) found.lists.set(place.number, refs)
    noteNested(value, found)
  } else if (isDictionary(value)) {
    const type = value.get('Type')
    if (type === '/Page') notePage(value, place.id, found)
    if (type === '/Pages') noteBranch(value, place.id, found)
    for (const name of FONTS) for (const ref of refsIn(value.get(name))) found.fonts.add(ref)
    noteNested(value.values(), found)
  }
}

const NO_NUMBER = -1

function noteNested(values: Iterable<PdfValue>, found: PdfObjects): void {
  for (const value of values) {
    if (typeof value === 'object') note(value, { number: NO_NUMBER, id: ownId(found) }, found)
  }
}

function ownId({ pages, branches }: PdfObjects): number {
  return NO_NUMBER - pages.size - branches.size
}

function notePage(fields: PdfFields, id: number, { pages, shownBy }: PdfObjects): void {
  pages.add(id)
  for (const ref of refsIn(fields.get('Contents'))) {
    const by = shownBy.get(ref)
    if (by === undefined) shownBy.set(ref, new Set([id]))
    else by.add(id)
  }
}

function noteBranch(fields: PdfFields, id: number, found: PdfObjects): void {
  const count = fields.get('Count')
  if (typeof count === 'number') found.countClaimed = Math.max(found.countClaimed, count)
  const kids = refsIn(fields.get('Kids')).length
  found.branches.set(id, Math.max(kids, found.branches.get(id) ?? 0))
}

/*
 * Rows as one parameter of a statement: a list of a composite type in PostgreSQL's binary form. For
 * the statements that every call sends, where a list of text for each column cost the server up to
 * three times as much. Everything else goes as JSON.
 */

/** A composite type of the database, with its columns in their order. */
export type RowType<R> = { name: string; columns: readonly RowColumn<R>[] }

/** With the column's value in a row. */
type RowColumn<R> = {
  [Type in keyof ValueTypes]: readonly [
    name: string,
    type: Type,
    value: (row: R) => ValueTypes[Type] | null | undefined,
  ]
}[keyof ValueTypes]

type ValueTypes = {
  uuid: string
  text: string
  int8: bigint | number
  bool: boolean
  timestamptz: Date
}

/** For a parameter that is cast to a list of the type: `$1::name[]`. */
export function binaryRows<R>({ columns }: RowType<R>, rows: readonly R[]): Buffer {
  at = 0
  reserve(ARRAY_HEAD_BYTES)
  putInt32(1) // one dimension
  putInt32(0) // no row is null
  putInt32(0) // the type is the one that the statement says
  putInt32(rows.length)
  putInt32(1) // the first has the number 1
  for (const row of rows) {
    reserve(LENGTH_BYTES)
    const start = at
    at += LENGTH_BYTES
    writeColumns(columns, row)
    view.setInt32(start, at - start - LENGTH_BYTES)
  }
  return Buffer.from(bytes.subarray(0, at))
}

const ARRAY_HEAD_BYTES = 20
const LENGTH_BYTES = 4
/** Its type, its length, and a value of fixed length. */
const COLUMN_BYTES = 24

/** One for all lists, which are written one after the other. */
let bytes = Buffer.allocUnsafeSlow(64 * 1024)
let view = new DataView(bytes.buffer)
let at = 0

function reserve(more: number): void {
  if (at + more <= bytes.length) return
  const larger = Buffer.allocUnsafeSlow(2 * (at + more))
  bytes.copy(larger, 0, 0, at)
  bytes = larger
  view = new DataView(bytes.buffer)
}

function putInt32(value: number): void {
  view.setInt32(at, value)
  at += 4
}

function writeColumns<R>(columns: readonly RowColumn<R>[], row: R): void {
  reserve(LENGTH_BYTES)
  putInt32(columns.length)
  for (const column of columns) writeColumn(column, row)
}

/** The numbers that these types have in every database (`pg_type.dat`). */
const TYPE_NUMBERS = { uuid: 2950, text: 25, int8: 20, bool: 16, timestamptz: 1184 }

function writeColumn<R>([name, type, valueOf]: RowColumn<R>, row: R): void {
  reserve(COLUMN_BYTES)
  putInt32(TYPE_NUMBERS[type])
  const value = valueOf(row)
  if (value === null || value === undefined) return putInt32(-1)
  switch (type) {
    case 'uuid':
      return writeUuid(value as string, name)
    case 'text':
      return writeText(value as string)
    case 'int8':
      return writeInt8(value as bigint | number, name)
    case 'bool':
      putInt32(1)
      view.setUint8(at, value === true ? 1 : 0)
      at += 1
      return
    case 'timestamptz':
      return writeInt8(((value as Date).getTime() - YEAR_2000_MS) * 1_000, name)
  }
}

/** Times are microseconds from here on. */
const YEAR_2000_MS = Date.UTC(2000)

function writeInt8(value: bigint | number, name: string): void {
  putInt32(8)
  if (typeof value === 'bigint') {
    if (BigInt.asIntN(64, value) !== value) throw new RangeError(`${name} must fit into 64 bits`)
    view.setBigInt64(at, value)
  } else {
    if (!Number.isSafeInteger(value)) throw new RangeError(`${name} must be a whole number`)
    view.setInt32(at, Math.floor(value / 2 ** 32))
    view.setUint32(at + 4, value >>> 0)
  }
  at += 8
}

function writeText(value: string): void {
  reserve(4 + 3 * value.length)
  const length = bytes.write(value, at + 4)
  putInt32(length)
  at += length
}

/** Where the bytes of a UUID are in its text. */
const UUID_PLACES = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34]

function writeUuid(text: string, name: string): void {
  putInt32(16)
  let isUuid = text.length === 36
  for (const place of UUID_PLACES) {
    const byte = 16 * DIGITS[text.charCodeAt(place)]! + DIGITS[text.charCodeAt(place + 1)]!
    isUuid &&= byte >= 0
    view.setUint8(at, byte)
    at += 1
  }
  if (!isUuid) throw new TypeError(`${name} must be a UUID`)
}

/** By the code of the letter. What is no digit makes any sum with it negative. */
const DIGITS = new Int16Array(128).fill(-256)
for (const digit of '0123456789abcdefABCDEF') {
  DIGITS[digit.charCodeAt(0)] = Number.parseInt(digit, 16)
}

/** An element of a Matroska or WebM file. `open`: no end of its own within its parent. */
export type Element = { id: number; start: number; end: number; open: boolean }

const HEADER = 0x1a45dfa3
const DOC_TYPE = 0x4282
const MOST_ELEMENTS = 1_024

/** `webm` or `matroska`. */
export function docType(bytes: Buffer): string | undefined {
  if (bytes.length < 5 || bytes.readUInt32BE(0) !== HEADER) return undefined
  const whole = { id: 0, start: 0, end: bytes.length, open: true }
  const header = child(bytes, whole, HEADER)
  const type = header && child(bytes, header, DOC_TYPE)
  if (type === undefined) return undefined
  // Padded with NUL. The length is untrusted, and known names are short.
  return bytes.toString('latin1', type.start, Math.min(type.end, type.start + 16)).split('\0')[0]
}

/** Sizes are untrusted: each step goes forward within the parent, and steps are limited. */
function child(bytes: Buffer, parent: Element, id: number): Element | undefined {
  let at = parent.start
  for (let count = 0; count < MOST_ELEMENTS && at < parent.end; count++) {
    const element = elementAt(bytes, at, parent.end)
    if (element === undefined || element.id === id) return element
    at = element.end
  }
  return undefined
}

export function elementAt(bytes: Buffer, at: number, limit: number): Element | undefined {
  const idLength = vintLength(bytes[at])
  const sizeAt = at + idLength
  if (idLength > 4 || sizeAt >= limit) return undefined
  const size = readVint(bytes, sizeAt, limit)
  if (size === undefined) return undefined
  const { start, value } = size
  const id = bytes.readUIntBE(at, idLength)
  const open = value === undefined || start + value > limit
  return { id, start, end: open ? limit : start + value, open }
}

/** A number of one to eight bytes; of ones alone it stands for "unknown". */
export function readVint(
  bytes: Buffer,
  at: number,
  limit: number,
): { start: number; value: number | undefined } | undefined {
  const length = vintLength(bytes[at])
  const start = at + length
  if (length > 8 || start > limit) return undefined
  let value = bytes[at]! & (0xff >> length)
  let unknown = value === 0xff >> length
  for (let i = at + 1; i < start; i++) {
    value = value * 256 + bytes[i]!
    unknown &&= bytes[i] === 0xff
  }
  return { start, value: unknown ? undefined : value }
}

/** From the leading zeros of the first byte; 9 if invalid. */
function vintLength(first: number | undefined): number {
  return first === undefined || first === 0 ? 9 : Math.clz32(first) - 23
}

export function unsigned(bytes: Buffer, { start, end }: Element): number {
  const length = end - start
  return length >= 1 && length <= 6 ? bytes.readUIntBE(start, length) : 0
}

export function float(bytes: Buffer, { start, end }: Element): number {
  if (end - start === 4) return bytes.readFloatBE(start)
  return end - start === 8 ? bytes.readDoubleBE(start) : 0
}

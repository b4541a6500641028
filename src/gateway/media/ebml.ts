/** An element of a Matroska or WebM file. */
type Element = { id: number; start: number; end: number }

const HEADER = 0x1a45dfa3
const DOC_TYPE = 0x4282
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TIME_SCALE = 0x2ad7b1
const DURATION = 0x4489
const MOST_ELEMENTS = 1_024

/** `webm` or `matroska`. */
export function docType(bytes: Buffer): string | undefined {
  if (bytes.length < 5 || bytes.readUInt32BE(0) !== HEADER) return undefined
  const header = child(bytes, whole(bytes), HEADER)
  const type = header && child(bytes, header, DOC_TYPE)
  if (type === undefined) return undefined
  // Padded with NUL. The length is untrusted, and known names are short.
  return bytes.toString('latin1', type.start, Math.min(type.end, type.start + 16)).split('\0')[0]
}

/** Browsers leave the duration out: it is not known when they write the header. */
export function ebmlSeconds(bytes: Buffer): number | undefined {
  const segment = child(bytes, whole(bytes), SEGMENT)
  const info = segment && child(bytes, segment, INFO)
  const duration = info && child(bytes, info, DURATION)
  if (duration === undefined) return undefined
  const scale = child(bytes, info!, TIME_SCALE)
  const nanoseconds = scale === undefined ? 1_000_000 : unsigned(bytes, scale)
  return (float(bytes, duration) * nanoseconds) / 1e9
}

function whole(bytes: Buffer): Element {
  return { id: 0, start: 0, end: bytes.length }
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

function elementAt(bytes: Buffer, at: number, limit: number): Element | undefined {
  const idLength = vintLength(bytes[at])
  const sizeAt = at + idLength
  const sizeLength = vintLength(bytes[sizeAt])
  const start = sizeAt + sizeLength
  if (idLength > 4 || sizeLength > 8 || start > limit) return undefined
  const id = bytes.readUIntBE(at, idLength)
  let size = bytes[sizeAt]! & (0xff >> sizeLength)
  let unknown = size === 0xff >> sizeLength
  for (let i = sizeAt + 1; i < start; i++) {
    size = size * 256 + bytes[i]!
    unknown &&= bytes[i] === 0xff
  }
  return { id, start, end: unknown ? limit : Math.min(start + size, limit) }
}

/** From the leading zeros of the first byte; 9 if invalid. */
function vintLength(first: number | undefined): number {
  return first === undefined || first === 0 ? 9 : Math.clz32(first) - 23
}

function unsigned(bytes: Buffer, { start, end }: Element): number {
  const length = end - start
  return length >= 1 && length <= 6 ? bytes.readUIntBE(start, length) : 0
}

function float(bytes: Buffer, { start, end }: Element): number {
  if (end - start === 4) return bytes.readFloatBE(start)
  return end - start === 8 ? bytes.readDoubleBE(start) : 0
}

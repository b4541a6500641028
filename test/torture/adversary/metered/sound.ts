/** How long a recording plays, by its packets: what it says of itself is not read. */
export function soundSeconds(bytes: Buffer): number {
  const start = bytes.toString('latin1', 0, 4)
  if (start === 'RIFF') return (bytes.length - bytes.indexOf('data') - 8) / bytes.readUInt32LE(28)
  if (start === 'OggS') return secondsOf(oggPackets(bytes))
  return secondsOf(webmPackets(bytes, 0, bytes.length))
}

function secondsOf(packets: Iterable<Buffer>): number {
  let ms = 0
  for (const packet of packets) ms += opusMs(packet)
  return ms / 1_000
}

/** RFC 6716, section 3.1: the length of a frame by the first byte, and how many there are. */
function opusMs(packet: Buffer): number {
  const [toc = 0, count = 0] = packet
  const config = toc >> 3
  const frameMs =
    config < 12
      ? [10, 20, 40, 60][config & 3]!
      : config < 16
        ? [10, 20][config & 1]!
        : [2.5, 5, 10, 20][config & 3]!
  const code = toc & 3
  return frameMs * (code === 0 ? 1 : code === 3 ? count & 63 : 2)
}

function* oggPackets(bytes: Buffer): Iterable<Buffer> {
  let nth = 0
  for (let at = 0; at + 27 <= bytes.length;) {
    const segments = bytes[at + 26]!
    let from = at + 27 + segments
    let size = 0
    for (let i = 0; i < segments; i++) {
      const lacing = bytes[at + 27 + i]!
      size += lacing
      if (lacing === 255) continue
      // The first two are the head and the tags.
      if (nth++ >= 2) yield bytes.subarray(from, from + size)
      from += size
      size = 0
    }
    at = from + size
  }
}

const PARENTS = new Set([0x18538067, 0x1f43b675])
const SIMPLE_BLOCK = 0xa3

function* webmPackets(bytes: Buffer, from: number, to: number): Iterable<Buffer> {
  for (let at = from; at < to;) {
    const idLength = lengthAt(bytes, at)
    const id = bytes.readUIntBE(at, idLength)
    at += idLength
    const sizeLength = lengthAt(bytes, at)
    let size = bytes[at]! & (0xff >> sizeLength)
    for (let i = 1; i < sizeLength; i++) size = size * 256 + bytes[at + i]!
    at += sizeLength
    if (PARENTS.has(id)) yield* webmPackets(bytes, at, at + size)
    else if (id === SIMPLE_BLOCK) yield bytes.subarray(at + 4, at + size)
    at += size
  }
}

/** By the zeros before the first one. */
function lengthAt(bytes: Buffer, at: number): number {
  return Math.clz32(bytes[at]!) - 23
}

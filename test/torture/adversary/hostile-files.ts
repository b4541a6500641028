import { deflateSync } from 'node:zlib'

/** One page of a few kilobytes, with a stream that unpacks to so many of these words. */
export function packedPdf(word: string, count: number): Buffer {
  const line = `(${word.repeat(20)}) Tj\n`
  const content = deflateSync(Buffer.from(line.repeat(Math.ceil(count / 20))))
  return Buffer.concat([
    Buffer.from(
      '%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n' +
        '2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n' +
        '3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R >>\nendobj\n' +
        `4 0 obj\n<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n`,
    ),
    content,
    Buffer.from('\nendstream\nendobj\ntrailer\n<< /Size 5 /Root 1 0 R >>\n%%EOF\n'),
  ])
}

/** Sixty milliseconds of Opus for speech, at about 750 bytes a second with its container. */
const PACKET = Buffer.concat([Buffer.from([11 << 3]), Buffer.alloc(39, 0x55)])
const PACKETS_PER_S = 1_000 / 60

const MOMENT_MS = 10

/** A recording that says it takes a moment. The words stand in its tags, unpacked. */
export function webmRecording(seconds: number, words: string, claimedMs = MOMENT_MS): Buffer {
  const blocks = Math.ceil(seconds * PACKETS_PER_S)
  const block = element(0xa3, Buffer.concat([Buffer.from([0x81, 0, 0, 0x80]), PACKET]))
  const head = element(
    0x1a45dfa3,
    element(0x4282, Buffer.from('webm')),
    element(0x4287, Buffer.from([4])),
  )
  const duration = Buffer.alloc(8)
  duration.writeDoubleBE(claimedMs)
  const info = element(
    0x1549a966,
    element(0x2ad7b1, Buffer.from([0x0f, 0x42, 0x40])),
    element(0x4489, duration),
    element(0x7ba9, Buffer.from(words)),
  )
  const opusHead = Buffer.from('OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0', 'latin1')
  const track = element(
    0xae,
    element(0xd7, Buffer.from([1])),
    element(0x73c5, Buffer.from([1])),
    element(0x83, Buffer.from([2])),
    element(0x86, Buffer.from('A_OPUS')),
    element(0x63a2, opusHead),
  )
  const sound = Buffer.alloc(block.length * blocks, block)
  const cluster = element(0x1f43b675, element(0xe7, Buffer.from([0])), sound)
  return Buffer.concat([head, element(0x18538067, info, element(0x1654ae6b, track), cluster)])
}

function element(id: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const name = Buffer.from(id.toString(16).padStart(2, '0'), 'hex')
  const size = Buffer.alloc(8)
  size.writeUIntBE(body.length, 2, 6)
  size[0] = 0x01
  return Buffer.concat([name, size, body])
}

/** The same as Ogg: its last page claims one sample. */
export function oggRecording(seconds: number, words: string): Buffer {
  const packets = Math.ceil(seconds * PACKETS_PER_S)
  const tags = Buffer.from(words)
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32LE(tags.length, 0)
  const opusTags = Buffer.concat([
    Buffer.from('OpusTags'),
    lengths.subarray(0, 4),
    tags,
    Buffer.alloc(4),
  ])
  const opusHead = Buffer.from('OpusHead\x01\x01\0\0\x80\xbb\0\0\0\0\0', 'latin1')
  const pages = [page(2, [opusHead]), page(0, [opusTags])]
  const full = page(
    0,
    Array.from({ length: 250 }, () => PACKET),
  )
  for (let left = packets; left > 0; left -= 250) pages.push(full)
  return Buffer.concat([...pages, page(4, [PACKET])])
}

/** Its checksum is not counted: no reader here looks at it. */
function page(type: number, packets: readonly Buffer[]): Buffer {
  const lacing = packets.flatMap(({ length }) => [
    ...Array.from({ length: Math.floor(length / 255) }, () => 255),
    length % 255,
  ])
  const head = Buffer.alloc(27)
  head.write('OggS')
  head[5] = type
  head.writeBigInt64LE(480n, 6)
  head.writeUInt32LE(1, 14)
  head[26] = lacing.length
  return Buffer.concat([head, Buffer.from(lacing), ...packets])
}

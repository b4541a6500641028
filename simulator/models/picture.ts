import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

/** A real PNG: a gradient whose colours come from the prompt. */
export function drawPng(prompt: string, width: number, height: number): Buffer {
  const ink = createHash('sha256').update(prompt).digest()
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * (1 + width * 3) + 1 + x * 3
      rows[at] = (ink[0]! + Math.floor((x * 255) / width)) & 255
      rows[at + 1] = (ink[1]! + Math.floor((y * 255) / height)) & 255
      rows[at + 2] = ink[2]!
    }
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length, 0)
  ends.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
}

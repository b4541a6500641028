import { randomBase62 } from '../../lib/ids.ts'
import type { Pieces } from '../contract/contract.ts'

export type FormPart = { name: string; value: string | Buffer; filename?: string; type?: string }

/** Nothing is copied, also when sent again. */
export function multipart(parts: readonly FormPart[]): { contentType: string; body: Pieces } {
  const boundary = `mlango-${randomBase62(24)}`
  const pieces: Buffer[] = []
  for (const part of parts) {
    pieces.push(Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`))
    pieces.push(typeof part.value === 'string' ? Buffer.from(part.value) : part.value)
    pieces.push(Buffer.from('\r\n'))
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: inPieces(pieces) }
}

const PIECE_BYTES = 256 * 1024

/** Small enough for back-pressure. */
function inPieces(buffers: readonly Buffer[]): Pieces {
  return {
    length: buffers.reduce((sum, one) => sum + one.length, 0),
    *read() {
      for (const buffer of buffers) {
        for (let at = 0; at < buffer.length; at += PIECE_BYTES) {
          yield buffer.subarray(at, at + PIECE_BYTES)
        }
      }
    },
  }
}

function headOf(part: FormPart): string {
  const file = part.filename === undefined ? '' : `; filename="${quoted(part.filename)}"`
  const type = part.type === undefined ? '' : `\r\nContent-Type: ${part.type}`
  return `Content-Disposition: form-data; name="${quoted(part.name)}"${file}${type}`
}

/** Quotes and line breaks must not end the header. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

import { randomBase62 } from '../lib/ids.ts'

export type Part = { name: string; value: string | Buffer; filename?: string; type?: string }

/** One buffer, so that the length is known and a second try can send it again. */
export function multipart(parts: readonly Part[]): { contentType: string; body: Buffer } {
  const boundary = `mlango-${randomBase62(24)}`
  const pieces: Buffer[] = []
  for (const part of parts) {
    pieces.push(Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`))
    pieces.push(typeof part.value === 'string' ? Buffer.from(part.value) : part.value)
    pieces.push(Buffer.from('\r\n'))
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`))
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(pieces) }
}

function headOf(part: Part): string {
  const file = part.filename === undefined ? '' : `; filename="${quoted(part.filename)}"`
  const type = part.type === undefined ? '' : `\r\nContent-Type: ${part.type}`
  return `Content-Disposition: form-data; name="${quoted(part.name)}"${file}${type}`
}

/** A name from outside must not end its quotes or its line. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

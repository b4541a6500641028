import { hmacSha256, safeEqual } from '../../lib/secrets.ts'

/** `mlr_` + session id (16 bytes), counter (4), HMAC over both and the session's salt (24). */
const SHAPE = /^mlr_([A-Za-z0-9_-]{59})$/

export type RefreshToken = { sessionId: string; counter: number; text: string }

export function writeRefreshToken(
  key: Buffer,
  session: { id: string; counter: number; salt: Uint8Array },
): string {
  const head = Buffer.alloc(20)
  head.write(session.id.replaceAll('-', ''), 'hex')
  head.writeUInt32BE(session.counter, 16)
  const mac = hmacSha256(key, head, Buffer.from(session.salt)).subarray(0, 24)
  return `mlr_${Buffer.concat([head, mac]).toString('base64url')}`
}

/** What the token says of itself: true only once `isOurs` has been asked. */
export function readRefreshToken(text: string): RefreshToken | undefined {
  const parts = SHAPE.exec(text)
  if (!parts) return undefined
  const bytes = Buffer.from(parts[1]!, 'base64url')
  const hex = bytes.toString('hex', 0, 16)
  const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { sessionId, counter: bytes.readUInt32BE(16), text }
}

export function isOurs(key: Buffer, token: RefreshToken, salt: Uint8Array): boolean {
  const right = writeRefreshToken(key, { id: token.sessionId, counter: token.counter, salt })
  return safeEqual(right, token.text)
}

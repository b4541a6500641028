import { createHmac, randomBytes } from 'node:crypto'
import { safeEqual } from '../../lib/secrets.ts'

const STEP_S = 30
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 6238 with SHA-1, six digits and 30 s steps: what every authenticator app speaks. */
export function totpAt(secret: Buffer, step: number, digits = 6): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac[mac.length - 1]! & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step a code belongs to, one step early or late allowed for clocks; undefined when wrong. */
export function totpStep(secret: Buffer, code: string, now: Date): number | undefined {
  const current = Math.floor(now.getTime() / 1000 / STEP_S)
  const steps = [current, current - 1, current + 1]
  return steps.filter((step) => safeEqual(totpAt(secret, step), code))[0]
}

export function newTotpSecret(): Buffer {
  return randomBytes(20)
}

/** What the app scans: `otpauth://totp/Mlango:name?secret=…`. */
export function totpUri(secret: Buffer, name: string): string {
  const query = `secret=${base32(secret)}&issuer=Mlango&algorithm=SHA1&digits=6&period=${STEP_S}`
  return `otpauth://totp/Mlango:${encodeURIComponent(name)}?${query}`
}

export function base32(bytes: Buffer): string {
  let bits = 0n
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte)
  const length = Math.ceil((bytes.length * 8) / 5)
  bits <<= BigInt(length * 5 - bytes.length * 8)
  let text = ''
  for (let i = length - 1; i >= 0; i--) text += BASE32[Number((bits >> BigInt(i * 5)) & 31n)]
  return text
}

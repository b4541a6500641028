import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'

/** One root key, one derived key per use: a leak of one use does not open another. */
export function deriveKey(masterKey: string, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, 'mlango', use, 32))
}

export function hmacSha256(key: Buffer | string, ...parts: (string | Buffer)[]): Buffer {
  if (key.length === 0) throw new Error('An empty key cannot sign anything.')
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}

export function sha256(data: string | Buffer): Buffer {
  return hash('sha256', data, 'buffer')
}

/** Compares digests, so that length tells nothing and never throws. */
export function safeEqual(a: string | Buffer, b: string | Buffer): boolean {
  return timingSafeEqual(sha256(a), sha256(b))
}

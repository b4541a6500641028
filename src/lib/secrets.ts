import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/**
 * One key, or two while it is being changed: the first seals and signs, all of them open and verify.
 */
export type KeyList = readonly [Buffer, ...Buffer[]]

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

/** AES-256-GCM: nonce, tag, text. `about` names the row it is for, so rows cannot be swapped. */
export function seal(key: Buffer, text: Buffer, about: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about))
  const body = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** Undefined when none of the keys opens it. */
export function tryUnseal(keys: KeyList, sealed: Uint8Array, about: string): Buffer | undefined {
  for (const key of keys) {
    try {
      return unseal(key, sealed, about)
    } catch {
      // Sealed under another key: the next one may be it.
    }
  }
  return undefined
}

/** Throws when the key or the row is another one, or the bytes were changed. */
export function unseal(key: Buffer, sealed: Uint8Array, about: string): Buffer {
  const bytes = Buffer.from(sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
  decipher.setAAD(Buffer.from(about)).setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()])
}

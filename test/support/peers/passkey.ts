import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** The origin whose pages are ours in these tests. */
export const PASSKEY_PAGE = 'https://mlango.example'

/** What an authenticator and its browser may lie about. */
export type Lies = {
  origin?: string
  rpId?: string
  challenge?: string
  type?: string
  counter?: number
  flags?: number
  attestation?: { fmt: string; attStmt: Cbor }
  credentialId?: string
}

type Asked = { challenge: string; rpId?: string; rp?: { id: string } }
export type SoftPasskey = ReturnType<typeof softPasskey>

const PRESENT = 0x01
const VERIFIED = 0x04
const HAS_KEY = 0x40

/** A passkey in software: it makes real attestations (none) and assertions (ES256). */
export function softPasskey({ counts = true } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const key = new Map<Cbor, Cbor>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x!, 'base64url')],
    [-3, Buffer.from(y!, 'base64url')],
  ])
  const id = randomBytes(16)
  let counter = 0

  const next = () => (counts ? ++counter : 0)
  const clientData = (type: string, { challenge }: Asked, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? PASSKEY_PAGE,
        crossOrigin: false,
      }),
    )
  const authData = (asked: Asked, lies: Lies, flags: number) => {
    const rpId = lies.rpId ?? asked.rpId ?? asked.rp!.id
    const head = Buffer.alloc(5)
    head.writeUInt8(lies.flags ?? flags, 0)
    head.writeUInt32BE(lies.counter ?? next(), 1)
    return Buffer.concat([sha256(Buffer.from(rpId)), head])
  }
  const named = (lies: Lies) => {
    const name = lies.credentialId ?? id.toString('base64url')
    return { id: name, rawId: name, type: 'public-key' as const }
  }

  return {
    id: id.toString('base64url'),
    /** What `navigator.credentials.create` answers. */
    create(asked: Asked, lies: Lies = {}) {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(id.length)
      const made = Buffer.concat([Buffer.alloc(16), length, id, cbor(key)])
      const data = Buffer.concat([authData(asked, lies, PRESENT | VERIFIED | HAS_KEY), made])
      const { fmt, attStmt } = lies.attestation ?? { fmt: 'none', attStmt: new Map() }
      const object = new Map<Cbor, Cbor>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', data],
      ])
      const response = {
        clientDataJSON: clientData('webauthn.create', asked, lies).toString('base64url'),
        attestationObject: cbor(object).toString('base64url'),
        transports: ['internal', 'telepathy'],
      }
      return { ...named(lies), response, clientExtensionResults: {} }
    },
    /** What `navigator.credentials.get` answers. */
    sign(asked: Asked, lies: Lies = {}) {
      const client = clientData('webauthn.get', asked, lies)
      const data = authData(asked, lies, PRESENT | VERIFIED)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      }
      return { ...named(lies), response, clientExtensionResults: {} }
    },
  }
}

export type Cbor = number | string | Buffer | Cbor[] | Map<Cbor, Cbor>

/** As much of CBOR as an attestation needs. */
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') {
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)])
  const pairs = [...value].flatMap(([name, one]) => [cbor(name), cbor(one)])
  return Buffer.concat([head(5, value.size), ...pairs])
}

function head(kind: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(kind << 5) | count])
  if (count < 256) return Buffer.from([(kind << 5) | 24, count])
  return Buffer.from([(kind << 5) | 25, count >> 8, count & 255])
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest()
}

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { StorableAnswer } from '../lib/answer.ts'

type Encoding = 'br' | 'gzip'

/** Compressed answers by the object that they were made from; they are dropped with it. */
const kept = new WeakMap<object, Map<Encoding, Promise<StorableAnswer>>>()

/**
 * The answer about `source`, compressed as the caller accepts it; undefined when the caller accepts
 * no compression. It is made once, in a thread, so its request id is that of the first request.
 */
export function packedAnswer(
  source: object,
  acceptEncoding: string | string[] | undefined,
  make: () => StorableAnswer,
): Promise<StorableAnswer> | undefined {
  const encoding = encodingFor(acceptEncoding)
  if (encoding === undefined) return undefined
  const known = kept.get(source) ?? new Map<Encoding, Promise<StorableAnswer>>()
  kept.set(source, known)
  const made = known.get(encoding) ?? pack(make(), encoding)
  known.set(encoding, made)
  return made
}

const PACK: Record<Encoding, (body: string | Buffer) => Promise<Buffer>> = {
  br: (body) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (body) => promisify(gzip)(body),
}

async function pack(answer: StorableAnswer, encoding: Encoding): Promise<StorableAnswer> {
  const headers = { ...answer.headers, 'content-encoding': encoding }
  return { ...answer, headers, body: await PACK[encoding](answer.body) }
}

/** What `Accept-Encoding` allows, the smaller first; `;q=0` forbids. */
function encodingFor(header: string | string[] | undefined): Encoding | undefined {
  const allowed = new Map<string, boolean>()
  for (const part of String(header ?? '')
    .slice(0, 300)
    .split(',')) {
    const [name = '', ...rules] = part.split(';').map((piece) => piece.trim().toLowerCase())
    allowed.set(name, !rules.some((rule) => /^q=0(\.0{0,3})?$/.test(rule)))
  }
  const reads = (name: Encoding) => allowed.get(name) ?? allowed.get('*') ?? false
  if (reads('br')) return 'br'
  return reads('gzip') ? 'gzip' : undefined
}

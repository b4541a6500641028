import { isFields } from '../../lib/json.ts'
import { UpstreamError } from './upstream-error.ts'

/** Each index once, all of one length: else the result would be silently wrong. */
export function readVectors(items: unknown[], inputs: number): Float32Array[] {
  if (items.length !== inputs) throw new UpstreamError('garbage', 'vector_count')
  const vectors = Array.from<Float32Array | undefined>({ length: inputs })
  for (const [position, item] of items.entries()) {
    if (!isFields(item)) throw new UpstreamError('garbage', 'vector')
    const index = typeof item.index === 'number' ? item.index : position
    if (index < 0 || index >= inputs || vectors[index])
      throw new UpstreamError('garbage', 'vector_index')
    vectors[index] = readVector(item.embedding)
  }
  const all = vectors as Float32Array[]
  if (all.some((vector) => vector?.length !== all[0]!.length)) {
    throw new UpstreamError('garbage', 'vector_length')
  }
  return all
}

/** Little-endian float32, as clients expect it. */
export function vectorBase64(vector: Float32Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('base64')
}

function readVector(value: unknown): Float32Array {
  const vector = Array.isArray(value)
    ? fromNumbers(value)
    : typeof value === 'string'
      ? fromBase64(value)
      : undefined
  if (!vector || vector.length === 0) throw new UpstreamError('garbage', 'vector')
  for (const number of vector)
    if (!Number.isFinite(number)) throw new UpstreamError('garbage', 'vector')
  return vector
}

function fromNumbers(values: unknown[]): Float32Array | undefined {
  return values.every((value) => typeof value === 'number') ? Float32Array.from(values) : undefined
}

function fromBase64(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length % 4 !== 0) return undefined
  // A copy, since the pool's buffer need not be aligned to four bytes.
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}

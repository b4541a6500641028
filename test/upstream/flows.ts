import type { Flow } from '../../src/upstream/work.ts'

/** Bytes as a flow, in pieces of any size. */
export function bytesFlow(bytes: Buffer, size = 17): Flow<Buffer> {
  let at = 0
  return {
    next: async () => {
      if (at >= bytes.length) return { done: true, value: undefined }
      at += size
      return { done: false, value: bytes.subarray(at - size, at) }
    },
    cancel: () => {
      at = bytes.length
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

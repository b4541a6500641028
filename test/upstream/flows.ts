import type { Source } from '../../src/upstream/wire/source.ts'

/** Bytes as a source that is always ready, in pieces of any size. */
export function bytesSource(bytes: Buffer, size = 17): Source<Buffer> {
  let at = 0
  return {
    ready: true,
    more: async () => {},
    take: () => {
      if (at >= bytes.length) return undefined
      at += size
      return bytes.subarray(at - size, at)
    },
    cancel: () => {
      at = bytes.length
    },
  }
}

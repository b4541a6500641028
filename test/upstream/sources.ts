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
    rest: () => {},
    cancel: () => {
      at = bytes.length
    },
  }
}

/** The next item, as soon as it is there; undefined at the end. */
export async function nextOf<Item>(source: Source<Item>): Promise<Item | undefined> {
  if (!source.ready) await source.more()
  return source.take()
}

/** Everything that comes, to be read by `for await`. */
export async function* itemsOf<Item>(source: Source<Item>): AsyncGenerator<Item> {
  for (;;) {
    const item = await nextOf(source)
    if (item === undefined) return
    yield item
  }
}

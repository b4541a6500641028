import { Fault } from '../contract/fault.ts'
import type { Flow } from '../work.ts'

/**
 * What comes in by and by, with back-pressure: nothing is read ahead of `take()` beyond one small
 * queue. Only `more()` waits; to take is synchronous, so that bytes become events and events become
 * chunks without a promise for each step.
 */
export type Source<Item> = {
  /** Something can be taken: an item, the end, or what broke it. */
  readonly ready: boolean
  /** Resolves once it is ready. Never rejects: `take()` tells. */
  more(): Promise<void>
  /** What is here, undefined at the end. Throws what broke it. Asked only when ready. */
  take(): Item | undefined
  /** Closes the socket at any time, also before the first `take()`. After that it is at its end. */
  cancel(): void
}

/** No more bytes than the cap. */
export function capped(source: Source<Buffer>, cap: number): Source<Buffer> {
  let size = 0
  return {
    get ready() {
      return source.ready
    },
    more: () => source.more(),
    take: () => {
      const piece = source.take()
      size += piece?.length ?? 0
      if (size > cap) throw overflow(source)
      return piece
    },
    cancel: () => source.cancel(),
  }
}

/** The socket is closed at once. */
function overflow(source: Source<Buffer>): Fault {
  source.cancel()
  return new Fault('too_large', 'body')
}

/** Reads to the end. An answer that is here already is not waited for. */
export async function gather(source: Source<Buffer>, cap: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let size = 0
  for (;;) {
    if (!source.ready) await source.more()
    const part = source.take()
    if (part === undefined) return parts.length === 1 ? parts[0]! : Buffer.concat(parts, size)
    size += part.length
    if (size > cap) throw overflow(source)
    parts.push(part)
  }
}

/** The same as an iterator. Written by hand: `return` works before the first pull too. */
export function flowOf<Item>(source: Source<Item>): Flow<Item> {
  return {
    next: async () => {
      if (!source.ready) await source.more()
      const value = source.take()
      return value === undefined ? END : { done: false, value }
    },
    return: async () => {
      source.cancel()
      return END
    },
    cancel: () => source.cancel(),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined }

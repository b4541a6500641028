import type { Deadline } from './deadline.ts'
import { Fault } from './fault.ts'
import type { Inbound } from './inbound.ts'
import { socketFault } from './socket-fault.ts'
import type { Flow } from './work.ts'

/** A pull at a time from the socket. Written by hand: `return` works before the first pull too. */
export function byteFlow(inbound: Inbound, deadline: Deadline): Flow<Buffer> {
  let over = false
  const cancel = () => {
    if (over) return
    over = true
    deadline.end(new Fault('aborted', 'cancelled'))
  }
  return {
    next: async () => {
      if (over) return END
      deadline.wait()
      try {
        const piece = await inbound.read()
        deadline.arrived()
        if (piece !== undefined) return { done: false, value: piece }
        over = true
        deadline.settle()
        return END
      } catch (error) {
        over = true
        deadline.settle()
        throw deadline.fault ?? socketFault(error)
      }
    },
    return: async () => {
      cancel()
      return END
    },
    cancel,
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined }

/** Over the cap the socket is closed at once. */
export function capped(flow: Flow<Buffer>, cap: number): Flow<Buffer> {
  let size = 0
  return {
    ...flow,
    next: async () => {
      const step = await flow.next()
      if (step.done) return step
      size += step.value.length
      if (size <= cap) return step
      flow.cancel()
      throw new Fault('too_large', 'body')
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Reads a flow to its end. */
export async function gather(flow: Flow<Buffer>, cap: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of capped(flow, cap)) parts.push(part)
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

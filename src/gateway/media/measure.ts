import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Measured } from './measured.ts'

/** A file in bytes, or in base64; the type is the declared one. */
export type SentFile = { content: Buffer | string; type: string }

/** Far more than any file takes, on a busy machine too. */
const DEADLINE_MS = 20_000

let thread: Worker | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * In a thread of its own, since 25 MiB made to be slow take some tenths of a second: no other call
 * waits for them. One file at a time, so that only one is copied. Undefined where that fails.
 */
export function measure(file: SentFile): Promise<Measured | undefined> {
  const turn = last.then(() => measureNow(file))
  last = turn
  return turn
}

async function measureNow({ content, type }: SentFile): Promise<Measured | undefined> {
  thread ??= startThread()
  const current = thread
  current.ref()
  try {
    const copy = typeof content === 'string' ? content : new Uint8Array(content)
    current.postMessage({ content: copy, type }, typeof copy === 'string' ? [] : [copy.buffer])
    const answer = await once(current, 'message', { signal: AbortSignal.timeout(DEADLINE_MS) })
    const [measured] = answer as [Measured]
    return measured
  } catch {
    thread = undefined
    void current.terminate()
    return undefined
  } finally {
    current.unref()
  }
}

function startThread(): Worker {
  const started = new Worker(new URL('measure-thread.ts', import.meta.url), {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
  })
  // One that ends between two files is started again for the next.
  started.on('error', () => {
    if (thread === started) thread = undefined
  })
  return started
}

const MOST_HEAP_MB = 256

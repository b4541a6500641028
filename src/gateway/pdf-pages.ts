import { Worker } from 'node:worker_threads'

const PATIENCE_MS = 1_500
const MOST_WAITING = 8
const MOST_PAGES = 5_000
const HEAP_MB = 128
/** What a small file may unpack to before it is given up. */
const MOST_UNPACKED_BYTES = 192 * 1024 * 1024
const LOOK_EVERY_MS = 50

let thread: Worker | undefined
let line: Promise<unknown> = Promise.resolve()
let waiting = 0

/**
 * How many pages a PDF has; undefined when it does not say so within bounds. One at a time, off the
 * loop, under limits of time and memory: it only sizes a hold, so giving up is always allowed.
 */
export function pdfPages(bytes: Buffer): Promise<number | undefined> {
  if (waiting >= MOST_WAITING) return Promise.resolve(undefined)
  waiting++
  const mine = line.then(() => count(bytes)).finally(() => waiting--)
  line = mine
  return mine
}

async function count(bytes: Buffer): Promise<number | undefined> {
  const worker = (thread ??= start())
  worker.ref()
  const copy = new Uint8Array(bytes)
  const before = unpacked()
  let ends: () => void = () => {}
  const pages = await new Promise<unknown>((tell) => {
    const late = setTimeout(tell, PATIENCE_MS)
    const look = setInterval(() => {
      if (unpacked() - before > MOST_UNPACKED_BYTES) tell(undefined)
    }, LOOK_EVERY_MS)
    ends = () => {
      clearTimeout(late)
      clearInterval(look)
      worker.off('message', tell).off('exit', tell)
    }
    worker.once('message', tell).once('exit', tell)
    worker.postMessage(copy, [copy.buffer])
  })
  ends()
  worker.unref()
  if (isCount(pages)) return pages
  // It may still be at it, or dead: the next file gets a new thread.
  thread = undefined
  void worker.terminate()
  return undefined
}

function start(): Worker {
  const worker = new Worker(new URL('./pdf-pages-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    env: {},
    stdout: true,
    stderr: true,
  })
  // An error ends the thread; `exit` follows and is what we wait for.
  worker.on('error', () => {})
  worker.unref()
  return worker
}

function unpacked(): number {
  return process.memoryUsage().arrayBuffers
}

function isCount(pages: unknown): pages is number {
  return Number.isSafeInteger(pages) && (pages as number) > 0 && (pages as number) <= MOST_PAGES
}

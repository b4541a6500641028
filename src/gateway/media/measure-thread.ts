import { parentPort } from 'node:worker_threads'
import { measureFile } from './measured.ts'

/** The other side of `measure.ts`. */
parentPort!.on('message', ({ content, type }: { content: Uint8Array | string; type: string }) => {
  const file =
    typeof content === 'string' ? Buffer.from(content, 'base64') : Buffer.from(content.buffer)
  parentPort!.postMessage(measureFile(file, type), [])
})

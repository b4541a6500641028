import { once } from 'node:events'
import { connect } from 'node:net'
import { parentPort, Worker, workerData } from 'node:worker_threads'

export type Load = { port: number; request: string; connections: number; seconds: number }

/** Requests per second that a server on this machine answers; the client has a thread of its own. */
export async function measure(load: Load): Promise<number> {
  const worker = new Worker(new URL(import.meta.url), { workerData: load })
  const [answered] = (await once(worker, 'message')) as [number]
  await worker.terminate()
  return answered / load.seconds
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
if (parentPort !== null) parentPort.postMessage(await run(workerData as Load))

/** Each connection sends, waits for the whole answer, and sends again. */
async function run(load: Load): Promise<number> {
  let answered = 0
  const deadline = performance.now() + load.seconds * 1000
  const one = async () => {
    const socket = connect(load.port, '127.0.0.1').setNoDelay(true)
    await once(socket, 'connect')
    socket.write(load.request)
    await new Promise<void>((done, fail) => {
      socket.on('error', fail)
      readAnswers(socket, () => {
        answered++
        if (performance.now() < deadline) socket.write(load.request)
        else done()
      })
    })
    socket.destroy()
  }
  await Promise.all(Array.from({ length: load.connections }, one))
  return answered
}

function readAnswers(socket: ReturnType<typeof connect>, answer: () => void): void {
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
    const head = text.indexOf('\r\n\r\n')
    if (head < 0) return
    if (!text.startsWith('HTTP/1.1 200')) throw new Error(text.slice(0, 200))
    // Found without a regular expression: the client must not be what is measured.
    const length = parseInt(text.slice(text.indexOf('ontent-length: ') + 15), 10)
    if (text.length < head + 4 + length) return
    text = text.slice(head + 4 + length)
    answer()
  })
}

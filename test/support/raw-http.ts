import { once } from 'node:events'
import { connect } from 'node:net'
import { eventually } from './eventually.ts'

/** Sends bytes as they are and collects the answer until the server closes or sends no more. */
export async function sendRaw(
  port: number,
  pieces: (string | Buffer)[],
  options: { answers?: number; quietMs?: number; end?: boolean } = {},
): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  const closed = once(socket, 'close').catch(() => {})
  await once(socket, 'connect')
  for (const piece of pieces) {
    if (socket.destroyed) break
    if (!socket.write(piece, 'latin1')) {
      await Promise.race([once(socket, 'drain').catch(() => {}), closed])
    }
  }
  if (options.end === true) socket.end()
  const settled = async () => {
    await heard(() => statusesOf(text).length >= (options.answers ?? 0))
    await quiet(() => text.length, options.quietMs ?? 300)
  }
  await Promise.race([closed, settled()])
  socket.destroy()
  return text
}

export function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]))
}

async function heard(enough: () => boolean): Promise<void> {
  await eventually('all answers have come', enough)
}

async function quiet(length: () => number, quietMs: number): Promise<void> {
  for (let known = -1; known !== length() || known === 0;) {
    known = length()
    await new Promise((done) => setTimeout(done, quietMs))
    if (known === 0 && length() === 0) return
  }
}

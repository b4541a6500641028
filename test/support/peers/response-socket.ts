import { once } from 'node:events'
import { WebSocket, type RawData } from 'ws'
import { eventually } from '../eventually.ts'
import type { Loose } from '../loose.ts'

/** A client's end of a WebSocket for responses. */
export async function openSocket(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}` }
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/responses`, { headers })
  const frames: Loose[] = []
  let read = 0
  const closed = new Promise<{ code: number; reason: string }>((done) =>
    socket.once('close', (code, reason) => done({ code, reason: String(reason) })),
  )
  // The close says the same.
  socket.on('error', () => {})
  socket.on('message', (data: RawData) => frames.push(JSON.parse((data as Buffer).toString())))
  await once(socket, 'open')
  /** The next unread frame that fits; those before it count as read. */
  const next = (what: string, fits: (frame: Loose) => boolean) =>
    eventually(what, () => {
      const at = frames.findIndex((frame, i) => i >= read && fits(frame))
      if (at < 0) return undefined
      read = at + 1
      return frames[at]
    })
  return {
    socket,
    frames,
    closed,
    send: (message: unknown) => socket.send(JSON.stringify(message)),
    until: (type: string): Promise<Loose> => next(type, (frame) => frame.type === type),
    /** The frame that ends a response, or refuses it. */
    ended: (): Promise<Loose> =>
      next('an end', ({ type }) => /^(error|response\.(completed|incomplete|failed))$/.test(type)),
    async create(more: object): Promise<Loose> {
      this.send({ type: 'response.create', model: 'lab/mto', ...more })
      return this.ended()
    },
  }
}

/** The status and the body of a refused upgrade. */
export async function refusedUpgrade(
  url: string,
  path: string,
  headers: Record<string, string>,
): Promise<{ status: number; body: Loose }> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, { headers })
  socket.on('error', () => {})
  const opened = once(socket, 'open').then(() => {
    throw new Error(`A connection was opened at ${path}.`)
  })
  const [, answer] = await Promise.race([once(socket, 'unexpected-response'), opened])
  const pieces: Buffer[] = []
  for await (const piece of answer) pieces.push(piece)
  return { status: answer.statusCode, body: JSON.parse(String(Buffer.concat(pieces))) }
}

import { createServer, type AddressInfo, type Socket } from 'node:net'

export type WireRequest = {
  method: string
  path: string
  headers: Record<string, string>
  body: string
}
export type Behave = (socket: Socket, request: WireRequest) => void

/** A server made of bytes, so that it can misbehave in every way a real one can. */
export async function wireServer(behave: Behave) {
  const sockets = new Set<Socket>()
  const requests: WireRequest[] = []
  const closed: number[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      closed.push(Date.now())
    })
    let pending = Buffer.alloc(0)
    socket.on('data', (data) => {
      pending = Buffer.concat([pending, data])
      for (let one = takeRequest(); one; one = takeRequest()) {
        requests.push(one)
        behave(socket, one)
      }
    })
    function takeRequest(): WireRequest | undefined {
      const end = pending.indexOf('\r\n\r\n')
      if (end === -1) return undefined
      const [first = '', ...lines] = pending.subarray(0, end).toString('latin1').split('\r\n')
      const headers = Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 1).trim(),
        ]),
      )
      const length = Number(headers['content-length'] ?? 0)
      if (pending.length < end + 4 + length) return undefined
      const body = pending.subarray(end + 4, end + 4 + length).toString('utf8')
      pending = pending.subarray(end + 4 + length)
      const [method = '', path = ''] = first.split(' ')
      return { method, path, headers, body }
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/api/v1`,
    requests,
    closed,
    get open() {
      return sockets.size
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((done) => server.close(() => done()))
    },
  }
}

export function response(
  body: string | Buffer,
  options: { status?: number; headers?: Record<string, string> } = {},
): Buffer {
  const { status = 200, headers = {} } = options
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const all = { 'content-type': 'application/json', 'content-length': bytes.length, ...headers }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${head.join('')}\r\n`), bytes])
}

export const SSE_HEAD =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'

export function chunk(text: string | Buffer): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ])
}

export const LAST_CHUNK = '0\r\n\r\n'

export function sse(...events: string[]): string {
  return events.map((event) => `data: ${event}\n\n`).join('')
}

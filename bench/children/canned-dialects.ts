import { createServer, type AddressInfo, type Socket } from 'node:net'
import { CANNED, type CannedAnswer } from '../dialects/canned.ts'

/** An upstream that sends prepared bytes in each of three dialects, by the path that is asked for. */
const STREAM_HEAD = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n' +
    'transfer-encoding: chunked\r\n\r\n',
)
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

type Prepared = { whole: Buffer; events: Buffer[] }

const prepared = new Map(Object.entries(CANNED).map(([path, canned]) => [path, prepare(canned)]))

function prepare({ whole, events }: CannedAnswer): Prepared {
  const length = Buffer.byteLength(whole)
  const head = `content-type: application/json\r\ncontent-length: ${length}`
  return {
    whole: Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${whole}`),
    events: events.map(chunk),
  }
}

function chunk(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
}

/** One request at a time on a connection, as clients without pipelining send them. */
function serve(socket: Socket): void {
  let received = ''
  socket.setNoDelay(true).setEncoding('latin1')
  socket.on('error', () => {})
  socket.on('data', (piece: string) => {
    received += piece
    const body = received.indexOf('\r\n\r\n') + 4
    if (body < 4 || received.length - body < lengthIn(received)) return
    const request = received
    received = ''
    answer(socket, request)
  })
}

function lengthIn(request: string): number {
  return Number(/\r\ncontent-length: *(\d+)/i.exec(request)?.[1] ?? 0)
}

function answer(socket: Socket, request: string): void {
  const path = request.slice(request.indexOf('/v1') + 3, request.indexOf(' HTTP/'))
  const { whole, events } = prepared.get(path) ?? prepared.get('/chat/completions')!
  if (!/"stream": ?true/.test(request)) return void socket.write(whole)
  socket.write(STREAM_HEAD)
  sendOneByOne(socket, events, 0)
}

/** As fast as possible: a model sends each piece as soon as it has it. */
function sendOneByOne(socket: Socket, events: Buffer[], n: number): void {
  if (n === events.length) return void socket.write(LAST_CHUNK)
  socket.write(events[n]!)
  setImmediate(sendOneByOne, socket, events, n + 1)
}

const server = createServer(serve)
server.listen(0, '127.0.0.1', 2048, () => console.log((server.address() as AddressInfo).port))

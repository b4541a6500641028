import { gzipSync } from 'node:zlib'
import type { Exchange } from '../exchange.ts'
import { breakOff, pause, write } from '../exchange.ts'
import { splitFault } from './faults.ts'
import { refusalOf, sendRefusal } from './refusal.ts'

/** Sends what the fault puts in place of the answer. False when the answer is still to be sent. */
export async function applyAnswerFault(exchange: Exchange, nthRequest: number): Promise<boolean> {
  const { name, amount } = splitFault(exchange.fault ?? '')
  if (name === 'late') return !(await pause(exchange, amount ?? 10_000))
  const refusal = refusalOf(exchange.fault ?? '', undefined) ?? refusalOf(name, amount)
  if (refusal !== undefined) {
    sendRefusal(exchange, refusal)
    return true
  }
  if (name === 'flap') {
    if (nthRequest % (amount ?? 2) !== 0) return false
    sendRefusal(exchange, refusalOf('status', 500)!)
    return true
  }
  NOISE_FAULTS[name]?.(exchange)
  const fault = ANSWER_FAULTS[name]
  if (fault === undefined) return false
  await fault(exchange)
  return true
}

const JSON_TYPE = { 'content-type': 'application/json' }

const body =
  (bytes: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
  ({ res }: Exchange): void => {
    res.writeHead(200, headers)
    res.end(bytes)
  }

const ANSWER_FAULTS: Record<string, (exchange: Exchange) => void | Promise<void>> = {
  drop: breakOff,
  hang: (exchange) => untilLeft(exchange),
  silent: (exchange) => {
    const type = exchange.body.stream === true ? 'text/event-stream' : 'application/json'
    exchange.res.writeHead(200, { 'content-type': type })
    exchange.res.flushHeaders()
    return untilLeft(exchange)
  },
  html: body('<html><body><h1>502 Bad Gateway</h1>sim-provider.internal</body></html>', {
    'content-type': 'text/html',
  }),
  empty: body(''),
  'bad-json': body('{"id":"gen-1","choices":[{"index":0,"mess'),
  'other-shape': body('{"weather":"fair","data":"none","choices":"many"}'),
  'bad-utf8': body(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x22, 0x3a, 0x31, 0x7d])),
  '200-error': body('{"error":{"message":"SimProvider broke","code":500},"user_id":"org_sim"}'),
  'gzip-truncated': (exchange) => {
    const whole = gzipSync('{"choices":[]}'.repeat(200))
    body(whole.subarray(0, whole.length >> 1), { ...JSON_TYPE, 'content-encoding': 'gzip' })(
      exchange,
    )
  },
  'gzip-bomb': (exchange) => body(bomb(), { ...JSON_TYPE, 'content-encoding': 'gzip' })(exchange),
  'gzip-chain': (exchange) =>
    body(gzipSync('{}'), {
      ...JSON_TYPE,
      'content-encoding': Array<string>(2_000).fill('gzip').join(', '),
    })(exchange),
  'huge-header': (exchange) =>
    body('{}', { ...JSON_TYPE, 'x-huge': 'h'.repeat(1 << 20) })(exchange),
  'huge-body': (exchange) => flood(exchange, Buffer.alloc(1 << 20, ' '), 10_240),
  'tiny-chunks': (exchange) => flood(exchange, Buffer.from(' '), 1_000_000),
  'long-line': (exchange) => flood(exchange, Buffer.alloc(1 << 20, 'x'), 100, 'data: '),
  redirect: ({ res, redirectTo }) => {
    res.writeHead(302, { location: redirectTo })
    res.end()
  },
}

/** Stray bytes before or after a correct answer. */
const NOISE_FAULTS: Record<string, (exchange: Exchange) => void> = {
  'extra-response': ({ res }) => {
    const { socket } = res
    const stray = '{"id":"stray","choices":[{"index":0,"message":{"content":"another tenant"}}]}'
    res.once('finish', () =>
      socket?.write(`HTTP/1.1 200 OK\r\ncontent-length: ${stray.length}\r\n\r\n${stray}`),
    )
  },
  'continue-storm': ({ res }) => {
    res.socket?.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(10_000))
  },
  'informational-flood': ({ res }) => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n'
    res.socket?.write(hint.repeat(10_000))
  },
}

/** Two hundred gzip members of a megabyte each: quicker to make than one of 200 MB. */
let madeBomb: Buffer | undefined
function bomb(): Buffer {
  madeBomb ??= Buffer.concat(Array<Buffer>(200).fill(gzipSync(Buffer.alloc(1 << 20, ' '))))
  return madeBomb
}

async function flood(exchange: Exchange, piece: Buffer, times: number, first = '{"x":"') {
  const type = first === 'data: ' ? 'text/event-stream' : 'application/json'
  exchange.res.writeHead(200, { 'content-type': type })
  let stays = await write(exchange, first)
  for (let i = 0; i < times && stays; i++) {
    stays = await write(exchange, piece)
    // A small piece never fills the buffer: give the reader's leaving a chance to be noticed.
    if (i % 1_000 === 0) await pause(exchange, 1)
  }
  exchange.res.end()
}

function untilLeft({ res }: Exchange): Promise<void> {
  return new Promise((done) => {
    res.once('close', done)
  })
}

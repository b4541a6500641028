import { createServer, type AddressInfo, type Socket } from 'node:net'

/**
 * An upstream that sends prepared bytes in OpenRouter's format, so that a benchmark measures the
 * gateway and not the upstream. A prompt with the word `paced` gets its events at intervals, one with
 * `later` an answer that begins after 40 ms.
 */
const [EVENTS, PACE_MS, UNPACED_EVENTS] = process.argv.slice(2).map(Number) as [
  number,
  number,
  number,
]

const usage = {
  prompt_tokens: 42,
  completion_tokens: EVENTS,
  total_tokens: 42 + EVENTS,
  cost: 0.0000213,
  is_byok: false,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  cost_details: { upstream_inference_cost: null },
  completion_tokens_details: { reasoning_tokens: 0, image_tokens: 0 },
}
const names = { id: 'gen-1741273890-bench', provider: 'Bench', model: 'bench/chat' }
const whole = framedWhole(
  JSON.stringify({
    ...names,
    object: 'chat.completion',
    created: 1741273890,
    system_fingerprint: null,
    choices: [
      {
        logprobs: null,
        finish_reason: 'stop',
        native_finish_reason: 'stop',
        index: 0,
        message: {
          role: 'assistant',
          content: 'Habari! Naweza kukusaidia na nini leo? '.repeat(8),
          refusal: null,
          reasoning: null,
        },
      },
    ],
    usage,
  }),
)
const events = Array.from({ length: EVENTS }, (_, n) => event(`${n} `))
const ending = Buffer.concat([
  chunk(
    `${frame({ ...chunkOf(choicesOf('', 'stop')) })}${frame({ ...chunkOf([]), usage })}data: [DONE]\n\n`,
  ),
  Buffer.from('0\r\n\r\n'),
])
const streamHead = Buffer.from(
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\n' +
    'transfer-encoding: chunked\r\n\r\n',
)

function event(content: string): Buffer {
  return chunk(frame(chunkOf(choicesOf(content, null))))
}

function choicesOf(content: string, finish: string | null): unknown[] {
  const delta = { role: 'assistant', content }
  const choice = { index: 0, delta, finish_reason: finish, native_finish_reason: finish }
  return [{ ...choice, logprobs: null }]
}

function chunkOf(choices: unknown[]) {
  return { ...names, object: 'chat.completion.chunk', created: 1741273890, choices }
}

function frame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

function chunk(text: string): Buffer {
  return Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`)
}

function framedWhole(text: string): Buffer {
  const head = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}`
  return Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${text}`)
}

/** One request at a time on a connection, as clients without pipelining send them. */
function serve(socket: Socket): void {
  let received = ''
  // Known from the head, so that a long request is not searched again with every piece.
  let end: number | undefined
  socket.setNoDelay(true).setEncoding('latin1')
  socket.on('error', () => {})
  socket.on('data', (piece: string) => {
    received += piece
    end ??= endOf(received)
    if (end === undefined || received.length < end) return
    const request = received
    received = ''
    end = undefined
    answer(socket, request)
  })
}

function endOf(request: string): number | undefined {
  const body = request.indexOf('\r\n\r\n') + 4
  return body < 4 ? undefined : body + lengthIn(request)
}

function lengthIn(request: string): number {
  return Number(/\r\ncontent-length: *(\d+)/i.exec(request)?.[1] ?? 0)
}

const LATER_MS = 40

function answer(socket: Socket, request: string): void {
  if (request.includes('later')) setTimeout(answerNow, LATER_MS, socket, request)
  else answerNow(socket, request)
}

function answerNow(socket: Socket, request: string): void {
  if (!/"stream": ?true/.test(request)) return void socket.write(whole)
  socket.write(streamHead)
  if (request.includes('paced')) sendPaced(socket)
  else sendUnpaced(socket, 0)
}

/** One event at a time, as fast as possible: a model sends each piece as soon as it has it. */
function sendUnpaced(socket: Socket, n: number): void {
  if (n === UNPACED_EVENTS) return void socket.write(ending)
  socket.write(events[n]!)
  setImmediate(sendUnpaced, socket, n + 1)
}

function sendPaced(socket: Socket): void {
  let n = 0
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer)
    else if (n < events.length) socket.write(events[n++]!)
    else {
      clearInterval(timer)
      socket.write(ending)
    }
  }, PACE_MS)
}

const server = createServer(serve)
server.listen(0, '127.0.0.1', 2048, () => console.log((server.address() as AddressInfo).port))

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { parentPort, Worker, workerData } from 'node:worker_threads'

/** What the callers do; they run in a thread of their own. */
export type CallerPlan = {
  port: number
  /** Whole HTTP requests; each connection takes them in turn. */
  requests: string[]
  connections: number
  /** For how long, or until each connection has had so many answers. */
  seconds?: number
  answersEach?: number
  /** So many first answers of each connection are not timed: the callers' own thread starts cold. */
  untimed?: number
  /** Between an answer and the next request of the same connection. */
  pauseMs?: number
  /** A text that a good answer must contain. */
  endsWith: string
  /** Hand the bodies back, without their chunk framing. */
  keepBodies?: true
}

export type CallerReport = {
  answers: number
  /** How many answers were not good, and the text of the last of them. */
  refused: number
  refusal: string
  elapsedMs: number
  /** From the request's last byte to the first byte of the answer's body. */
  firstByteMs: number[]
  bodies: string[]
}

const LAST_CHUNK = '\r\n0\r\n\r\n'

export async function runCallers(plan: CallerPlan): Promise<CallerReport> {
  const worker = new Worker(new URL(import.meta.url), { workerData: plan })
  const report = new Promise<CallerReport>((done, fail) =>
    worker.on('message', done).on('error', fail),
  )
  try {
    return await report
  } finally {
    await worker.terminate()
  }
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
if (parentPort !== null) parentPort.postMessage(await run(workerData as CallerPlan))

async function run(plan: CallerPlan): Promise<CallerReport> {
  const sockets = await Promise.all(
    Array.from({ length: plan.connections }, () => openConnection(plan)),
  )
  const report: CallerReport = {
    answers: 0,
    refused: 0,
    refusal: '',
    elapsedMs: 0,
    firstByteMs: [],
    bodies: [],
  }
  const startMs = performance.now()
  await Promise.all(sockets.map((socket, i) => callInTurn(plan, report, socket, i)))
  report.elapsedMs = performance.now() - startMs
  return report
}

async function openConnection({ port }: CallerPlan): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
  await once(socket, 'connect')
  return socket
}

/** Sends, waits for the whole answer, and sends the next. */
function callInTurn(
  plan: CallerPlan,
  report: CallerReport,
  socket: Socket,
  first: number,
): Promise<void> {
  const { requests, seconds = 0, answersEach = 0, untimed = 0, pauseMs } = plan
  const untilMs = performance.now() + seconds * 1000
  return new Promise((done) => {
    let sent = 0
    let text = ''
    let body = 0
    let length: number | undefined
    let sentMs = 0
    let bodyMs = 0
    const sendNext = () => {
      text = ''
      body = 0
      bodyMs = 0
      sentMs = performance.now()
      socket.write(requests[(first + sent++ * plan.connections) % requests.length]!)
    }
    // A connection that was cut off counts as refused; the benchmark decides what to make of it.
    const cutOff = () => {
      report.refused += 1
      report.refusal = `cut off: ${text.slice(0, 300)}`
      done()
    }
    socket.on('error', () => {}).on('close', cutOff)
    socket.on('data', (piece: string) => {
      text += piece
      if (body === 0) {
        body = text.indexOf('\r\n\r\n') + 4
        if (body < 4) {
          body = 0
          return
        }
        length = lengthIn(text.slice(0, body))
      }
      if (text.length === body) return
      if (bodyMs === 0) bodyMs = performance.now()
      // Only the last piece of a long answer is searched: the callers must not be the bottleneck.
      const tail = piece.length < LAST_CHUNK.length ? text : piece
      if (length === undefined ? !tail.endsWith(LAST_CHUNK) : text.length < body + length) return
      if (text.startsWith('HTTP/1.1 200') && text.includes(plan.endsWith)) {
        report.answers += 1
        if (sent > untimed) report.firstByteMs.push(bodyMs - sentMs)
        if (plan.keepBodies) report.bodies.push(unchunked(text.slice(body)))
      } else {
        report.refused += 1
        report.refusal = text.slice(0, 1_000)
      }
      if (performance.now() >= untilMs && sent >= answersEach) {
        socket.removeAllListeners('close').destroy()
        done()
      } else if (pauseMs === undefined) sendNext()
      else setTimeout(sendNext, pauseMs)
    })
    sendNext()
  })
}

function lengthIn(head: string): number | undefined {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  return length === undefined ? undefined : Number(length)
}

function unchunked(text: string): string {
  let body = ''
  for (let at = 0; ;) {
    const lineEnd = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, lineEnd), 16)
    if (!(size > 0)) return body
    body += text.slice(lineEnd + 2, lineEnd + 2 + size)
    at = lineEnd + 2 + size + 2
  }
}

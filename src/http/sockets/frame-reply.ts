import type { Duplex } from 'node:stream'
import { Writable } from 'node:stream'
import type { WebSocket } from 'ws'
import type { CallReply } from '../request-context.ts'

/** The socket with its wire, on which several answers may be under way. */
export type Wire = { socket: WebSocket; stream: Duplex }

type WrittenHead = { status: number; headers: Record<string, string> }

/**
 * The answer to one message of a socket: each event is a frame, and so is a failure. What the reader
 * does not take is not taken from the call either.
 */
export class FrameReply extends Writable implements CallReply {
  headersSent = false
  readonly #wire: Wire
  readonly #streamOf: () => string | undefined
  #stream: string | undefined
  #head: WrittenHead = { status: 200, headers: {} }
  #begun = false

  /** `streamOf` reads the name of the stream in the message, until that is let go. */
  constructor(wire: Wire, streamOf: () => string | undefined) {
    super({ decodeStrings: false })
    this.#wire = wire
    this.#streamOf = streamOf
    // Of a connection that is closed: the close tells the call.
    this.on('error', () => {})
  }

  get status(): number {
    return this.#head.status
  }

  /** Every frame names the stream that the message named. */
  noteStream(): void {
    this.#stream ??= this.#streamOf()
  }

  writeHead(status: number, headers: Record<string, string>): void {
    this.headersSent = true
    this.noteStream()
    this.#head = { status, headers }
  }

  /** Nobody waits to be invited, and the connection looks for readers that have stalled. */
  writeContinue(): void {}
  setTimeout(): void {}

  override _write(text: string | Buffer, _encoding: string, done: (error?: Error | null) => void) {
    const written = String(text)
    const frames = this.status < 400 ? eventsIn(written) : [errorFrame(this.#head, written)]
    if (frames.length === 0) return done()
    this.send(frames, done)
  }

  /** `done` is called when the reader's side has taken the last of them. */
  send(frames: readonly string[], done: (error?: Error | null) => void): void {
    const { socket, stream } = this.#wire
    stream.cork()
    frames.forEach((frame, i) => {
      socket.send(this.#named(frame), i === frames.length - 1 ? done : undefined)
    })
    stream.uncork()
  }

  #named(frame: string): string {
    const named = this.#stream === undefined ? frame : withMember(frame, 'stream_id', this.#stream)
    if (this.#begun) return named
    this.#begun = true
    return withMember(named, 'request_id', this.#head.headers['x-request-id'])
  }
}

const DATA = 'data: '

/** The events of a stream, without comments and its last mark. Their JSON has no line breaks. */
function eventsIn(text: string): string[] {
  const lines = text.split('\n').filter((line) => line.startsWith(`${DATA}{`))
  return lines.map((line) => line.slice(DATA.length))
}

const TOLD = ['retry-after', 'x-should-retry']

/** A failure as OpenAI's clients read it: the body of an HTTP answer, with its status beside it. */
export function errorFrame({ status, headers }: WrittenHead, body: string): string {
  const told = TOLD.filter((name) => headers[name] !== undefined)
  const beside = JSON.stringify(Object.fromEntries(told.map((name) => [name, headers[name]])))
  return `{"type":"error","status":${status},${body.slice(1, -1)},"headers":${beside}}`
}

function withMember(frame: string, name: string, value: string | undefined): string {
  if (value === undefined) return frame
  return `${frame.slice(0, frame.lastIndexOf('}'))},"${name}":${JSON.stringify(value)}}`
}

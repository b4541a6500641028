import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Outflow, Sink } from '../lib/answer.ts'

/** Writes past the framework: a stream object, its pipe and its listeners cost more than its text. */
export function sendOutflow(request: FastifyRequest, reply: FastifyReply, body: Outflow): void {
  const { raw } = reply
  try {
    raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  } catch (error) {
    // A header that cannot be written: the failure is answered instead.
    void body.left()
    throw error
  }
  reply.hijack()
  // From here on the body hears of a reader who leaves, and decides what that ends.
  request.call?.stay()
  const close = async () => {
    await body.left()
    request.call?.end()
  }
  if (raw.destroyed) return void close()
  // A broken connection closes too.
  raw.on('close', () => void close()).on('error', () => {})
  giveUpOnStalled(raw)
  body.flow(sinkOf(raw))
}

/** A reader that takes not a byte for this long is gone, whatever its socket says. */
const STALLED_MS = 60_000

/** The timer of the socket knows of every byte that the reader takes, also of one large piece. */
function giveUpOnStalled(raw: ServerResponse): void {
  raw.setTimeout(STALLED_MS, () => raw.destroy())
  // Before the server sets the time that it waits for the next request on this connection.
  raw.prependOnceListener('finish', () => raw.setTimeout(0))
}

function sinkOf(raw: ServerResponse): Sink {
  let wire: Socket | undefined
  const write = (text: string): boolean => {
    // A chunk of no bytes would be the end.
    if (raw.destroyed || text === '') return true
    if (wire !== undefined) return wire.write(chunkOf(text))
    return inOneWrite(raw, () => {
      // By itself: joined to a chunk, its many parts would be kept until the end of the response.
      raw.flushHeaders()
      wire = wireOf(raw)
      return wire?.write(chunkOf(text)) ?? raw.write(text)
    })
  }
  return {
    write,
    room: () => roomIn(raw, wire),
    end(text) {
      if (raw.destroyed) return
      inOneWrite(raw, () => {
        write(text)
        raw.end()
      })
    },
  }
}

function inOneWrite<Result>({ socket }: ServerResponse, write: () => Result): Result {
  socket?.cork()
  const result = write()
  socket?.uncork()
  return result
}

/**
 * The socket, once the head has gone that way. None for a response that waits behind another one on
 * its connection, and for a client that takes no chunks.
 */
function wireOf(raw: ServerResponse): Socket | undefined {
  return raw.chunkedEncoding && raw.headersSent ? (raw.socket ?? undefined) : undefined
}

/** In one piece: the server would write it in four, which costs a third more. */
function chunkOf(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

/** What was written past the response is told of by the socket alone. */
function roomIn(raw: ServerResponse, wire: Socket | undefined): Promise<void> {
  return new Promise((done) => {
    if (raw.destroyed) return done()
    const written = wire ?? raw
    const go = () => {
      written.off('drain', go)
      raw.off('close', go)
      done()
    }
    written.on('drain', go)
    raw.on('close', go)
  })
}

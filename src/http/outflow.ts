import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
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
  return {
    write: (text) => raw.destroyed || raw.write(text),
    room: () => roomIn(raw),
    end: (text) => void (raw.destroyed || raw.end(text)),
  }
}

function roomIn(raw: ServerResponse): Promise<void> {
  return new Promise((done) => {
    if (raw.destroyed) return done()
    const go = () => {
      raw.off('drain', go).off('close', go)
      done()
    }
    raw.on('drain', go).on('close', go)
  })
}

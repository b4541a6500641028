import type { ServerResponse } from 'node:http'
import type { Outflow, Sink } from '../lib/answer.ts'
import type { RequestContext } from './request-context.ts'

/** Writes to the response without a stream object, whose pipe and listeners cost more than the text. */
export function sendOutflow(
  call: RequestContext,
  status: number,
  headers: Record<string, string>,
  body: Outflow,
): void {
  const { response } = call
  try {
    response.writeHead(status, headers)
  } catch (error) {
    // A header that cannot be written: the failure is answered instead.
    void body.left()
    throw error
  }
  // From here on the body hears of a reader who leaves, and decides what that ends.
  call.stay()
  const close = async () => {
    await body.left()
    call.end()
  }
  if (response.destroyed) return void close()
  // A broken connection closes too.
  response.on('close', () => void close()).on('error', () => {})
  giveUpOnStalled(response)
  body.flow(sinkOf(response))
}

/** A reader that takes not a byte for this long is gone, whatever its socket says. */
const STALLED_MS = 60_000

/** The timer of the socket knows of every byte that the reader takes, also of one large piece. */
export function giveUpOnStalled(response: ServerResponse): void {
  response.setTimeout(STALLED_MS, () => response.destroy())
  // Before the server sets the time that it waits for the next request on this connection.
  response.prependOnceListener('finish', () => response.setTimeout(0))
}

function sinkOf(response: ServerResponse): Sink {
  return {
    write: (text) => response.destroyed || response.write(text),
    room: () => roomIn(response),
    end(text) {
      if (!response.destroyed) response.end(text)
    },
  }
}

function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((done) => {
    if (response.destroyed) return done()
    const go = () => {
      response.off('drain', go).off('close', go)
      done()
    }
    response.on('drain', go).on('close', go)
  })
}

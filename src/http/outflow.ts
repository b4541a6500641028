import type { Outflow, Sink } from '../lib/answer.ts'
import type { CallReply, RequestContext } from './request-context.ts'

/** What stands before the body. */
export type Head = { status: number; headers: Record<string, string> }

/** Lets the body write to the response: a stream object with its listeners would cost more. */
export function sendOutflow(call: RequestContext, head: Head, body: Outflow): void {
  const { response } = call
  try {
    response.writeHead(head.status, head.headers)
  } catch (error) {
    // A header that cannot be written: the failure is answered instead.
    void body.left()
    throw error
  }
  // From now on the body is told when the reader leaves, and decides what ends with that.
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

/** A reader that takes no byte for this long counts as gone, even if the socket is still open. */
const STALLED_MS = 60_000

/** By the socket's own timer, which starts again with every byte that the reader takes. */
export function giveUpOnStalled(response: CallReply): void {
  response.setTimeout(STALLED_MS, () => response.destroy())
  // Must run before Node sets the keep-alive time of the connection.
  response.prependOnceListener('finish', () => response.setTimeout(0))
}

function sinkOf(response: CallReply): Sink {
  return {
    write: (text) => response.destroyed || response.write(text),
    room: () => roomIn(response),
    end(text) {
      if (!response.destroyed) response.end(text)
    },
  }
}

function roomIn(response: CallReply): Promise<void> {
  return new Promise((done) => {
    if (response.destroyed) return done()
    const go = () => {
      response.off('drain', go).off('close', go)
      done()
    }
    response.on('drain', go).on('close', go)
  })
}

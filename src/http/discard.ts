import type { RequestContext } from './request-context.ts'

const DISCARDED_BYTES = 8 * 1024 * 1024
const DISCARDING_MS = 5_000

/**
 * Refused before the body was read whole. Closing at once would reset the connection, and a caller
 * who is still sending would never see why; so some more is read and thrown away, within bounds, and
 * the connection stays for a moment.
 */
export function discardBody({ request, response }: RequestContext): void {
  let bytes = 0
  const stop = () => request.destroy()
  response.once('finish', () => {
    if (request.complete || request.destroyed) return
    const timer = setTimeout(stop, DISCARDING_MS)
    request.once('close', () => clearTimeout(timer)).on('error', () => {})
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      // Not closed yet: that would reset the connection under an answer that is still to be read.
      if (bytes > DISCARDED_BYTES) request.pause()
    })
    // Whatever was reading it would hold it back for ever, and the next request behind it.
    request.unpipe()
    request.resume()
  })
}

import type { RequestContext } from './request-context.ts'

const DISCARDED_BYTES = 8 * 1024 * 1024
const DISCARDING_MS = 5_000

/**
 * For a request that was answered before its body was read whole. Closing at once would reset the
 * connection, and a caller who is still sending would never see the answer. So up to 8 MB more are
 * read and thrown away, for at most 5 seconds.
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
      // Closing now would reset the connection before the caller has read the answer.
      if (bytes > DISCARDED_BYTES) request.pause()
    })
    // A reader that has stopped would hold back the body, and the next request behind it.
    request.unpipe()
    request.resume()
  })
}

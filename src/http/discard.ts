import type { FastifyReply, FastifyRequest } from 'fastify'

const DISCARDED_BYTES = 8 * 1024 * 1024
const DISCARDING_MS = 5_000

/**
 * Refused before the body was read whole. Closing at once would reset the connection, and a caller
 * who is still sending would never see why; so some more is read and thrown away, within bounds, and
 * the connection stays for a moment.
 */
export function discardBody(request: FastifyRequest, reply: FastifyReply): void {
  const raw = request.raw
  let bytes = 0
  const stop = () => raw.destroy()
  reply.raw.once('finish', () => {
    if (raw.complete || raw.destroyed) return
    const timer = setTimeout(stop, DISCARDING_MS)
    raw.once('close', () => clearTimeout(timer)).on('error', () => {})
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      // Not closed yet: that would reset the connection under an answer that is still to be read.
      if (bytes > DISCARDED_BYTES) raw.pause()
    })
    // Whatever was reading it would hold it back for ever, and the next request behind it.
    raw.unpipe()
    raw.resume()
  })
}

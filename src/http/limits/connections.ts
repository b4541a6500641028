import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { subscriberOf } from './process-counter.ts'

/** From here on idle connections are closed, so that they keep nobody out. */
const NEARLY_FULL = 0.9
const CLOSE_AGAIN_MS = 500

/**
 * One address cannot take all connections, and connections on which nothing happens never keep
 * others out. What is over the limit is closed at once, before anything is read.
 */
export function limitConnections(
  server: Server,
  { most, perAddress }: { most: number; perAddress: number },
): void {
  server.maxConnections = most
  const open = new Map<string, number>()
  let count = 0
  let closedMs = -Infinity
  server.on('connection', (socket: Socket) => {
    const network = subscriberOf(socket.remoteAddress ?? '')
    const ofNetwork = (open.get(network) ?? 0) + 1
    if (ofNetwork > perAddress) {
      socket.destroy()
      return
    }
    open.set(network, ofNetwork)
    count += 1
    socket.once('close', () => {
      count -= 1
      const left = open.get(network)! - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
    // It goes through all of them: not for each of a flood.
    if (count <= most * NEARLY_FULL || performance.now() - closedMs < CLOSE_AGAIN_MS) return
    closedMs = performance.now()
    server.closeIdleConnections()
  })
}

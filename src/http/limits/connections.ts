import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { subscriberOf } from './process-counter.ts'

/** From this share of the limit on, idle connections are closed to make room. */
const NEARLY_FULL = 0.9
const CLOSE_AGAIN_MS = 500

/** Behind another one on a connection. Hardly any client sends the next before it has an answer. */
const MOST_WAITING = 32
const waiting = new WeakMap<Socket, number>()

/**
 * For a request that waits behind another on its connection. With too many the connection is closed:
 * one read of a socket can bring thousands, and each takes memory before it is looked at.
 */
export function mayWait({ socket }: IncomingMessage, response: ServerResponse): boolean {
  const count = (waiting.get(socket) ?? 0) + 1
  if (count > MOST_WAITING) {
    socket.destroy()
    return false
  }
  waiting.set(socket, count)
  response.once('close', () => waiting.set(socket, waiting.get(socket)! - 1))
  return true
}

/**
 * Limits the connections of one address, and closes idle ones when the server is nearly full. A
 * connection over the limit is closed before anything is read.
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
    // This looks at every connection, so it is not done for each new one.
    if (count <= most * NEARLY_FULL || performance.now() - closedMs < CLOSE_AGAIN_MS) return
    closedMs = performance.now()
    server.closeIdleConnections()
  })
}

import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Listener = {
  port: () => number
  listen: () => Promise<void>
  close: () => Promise<void>
}

/** A server that can stop and listen again on the same port, like a provider that goes down. */
export function createListener(
  wantedPort: number,
  serve: (req: IncomingMessage, res: ServerResponse) => Promise<void>,
): Listener {
  const sockets = new Set<Socket>()
  let port = wantedPort
  let server: Server | undefined
  return {
    port: () => port,
    listen: async () => {
      const next = createServer({ keepAliveTimeout: 30_000 }, (req, res) => void serve(req, res))
      next.on('connection', (socket) => {
        sockets.add(socket)
        socket.once('close', () => sockets.delete(socket))
      })
      await new Promise<void>((done, failed) => {
        next.once('error', failed)
        next.listen(port, '127.0.0.1', done)
      })
      port = (next.address() as AddressInfo).port
      server = next
    },
    close: async () => {
      const old = server
      server = undefined
      if (old === undefined) return
      const closed = new Promise((done) => old.close(done))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

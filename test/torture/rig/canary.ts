import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** A listener that nobody should ever contact: a visit shows that an address from outside was followed. */
export type Canary = {
  url: string
  host: string
  readonly visits: string[]
  close(): Promise<void>
}

export async function openCanary(): Promise<Canary> {
  const visits: string[] = []
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes) => visits.push(bytes.toString('latin1').slice(0, 200)))
    visits.push(`${socket.remoteAddress}:${socket.remotePort}`)
    setTimeout(() => socket.destroy(), 1_000)
  })
  // Every address of this machine: loopback, and the private ones it has.
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    visits,
    close: () => new Promise((done) => server.close(() => done())),
  }
}

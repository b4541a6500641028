import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { addressIn, throughPort } from './database-address.ts'

/** Stands between us and a database server, and can stop passing on without closing anything. */
export async function muteableProxy(target: string) {
  const sockets = new Set<Socket>()
  let passing = true
  const server = createServer((near) => {
    const far = connect(addressIn(target))
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => passing && to.write(bytes))
      from.on('close', () => to.destroy())
      from.on('error', () => {})
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: throughPort(target, (server.address() as AddressInfo).port),
    mute: () => void (passing = false),
    restore: () => void (passing = true),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

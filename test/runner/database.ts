import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { migratedDatabase } from '../support/databases.ts'
import { startTestServer } from '../support/local-server.ts'

/**
 * One PostgreSQL server for a whole run, started when a test first asks for it: whoever gets `url`
 * over HTTP is told the address of a database with every migration, to be copied.
 */
export async function offerDatabase() {
  let started: ReturnType<typeof start> | undefined
  const door = createServer((_request, response) => {
    started ??= start()
    started.then(
      ({ template }) => response.end(template),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  }).listen(0, '127.0.0.1')
  await once(door, 'listening')
  return {
    url: `http://127.0.0.1:${(door.address() as AddressInfo).port}`,
    async close() {
      door.close()
      door.closeAllConnections()
      await started?.then(({ server }) => server.stop())
    },
  }
}

async function start() {
  // Databases that live for seconds need no vacuum, and it would visit each of them.
  const server = await startTestServer({ settings: { autovacuum: 'off' } })
  return { server, template: await migratedDatabase(server.url) }
}

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What is said to every request. */
export type Said = { type?: string; body: string | Buffer }

/** A provider of any format that does its work, and answers what it is told to. */
export async function uselessModel() {
  let said: Said = { body: '{}' }
  let asked = 0
  const server = createServer(async (request, response) => {
    for await (const _piece of request) continue
    if (request.method === 'POST') asked += 1
    const { type = 'application/json', body } = said
    response.setHeader('content-type', type)
    response.end(body)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    say(next: Said) {
      said = next
    },
    /** How often work was asked of it. */
    get asked() {
      return asked
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

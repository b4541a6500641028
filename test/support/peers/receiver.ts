import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually } from '../eventually.ts'
import type { Loose } from '../loose.ts'

export type Received = { headers: IncomingHttpHeaders; body: string; path: string; json: Loose }

type Answer = (received: Received, response: ServerResponse) => void

/** A real HTTP server that takes webhooks. It answers 204 unless told otherwise. */
export async function startReceiver(
  answer: Answer = (_, response) => response.writeHead(204).end(),
) {
  const received: Received[] = []
  const receiver = { answer }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const one = {
      headers: request.headers,
      body,
      path: request.url!,
      json: body && JSON.parse(body),
    }
    received.push(one)
    receiver.answer(one, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    port,
    received,
    set answer(next: Answer) {
      receiver.answer = next
    },
    /** The nth that came, as soon as it is here. */
    nth: (n: number): Promise<Received> =>
      eventually(`${n} webhooks have come`, () => received[n - 1]),
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

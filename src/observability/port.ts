import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type MetricsPort = { port: number; close(): Promise<void> }

/** Serves metrics on a port of their own, so that they need not be public. */
export async function openMetricsPort(options: {
  host: string
  port: number
  text(): Promise<string>
}): Promise<MetricsPort> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    options.text().then(
      (text) => response.writeHead(200, { 'content-type': TYPE }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((listening, failed) => {
    server.once('error', failed)
    server.listen(options.port, options.host, listening)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((closed) => server.close(() => closed())),
  }
}

const TYPE = 'text/plain; version=0.0.4; charset=utf-8'

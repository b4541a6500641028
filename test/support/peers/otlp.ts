import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type SentValue = {
  stringValue?: string
  intValue?: number | string
  doubleValue?: number
  boolValue?: boolean
  arrayValue?: { values: SentValue[] }
}
type Attribute = { key: string; value: SentValue }

/** A span as OTLP has it in JSON. */
export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  events: { name: string; timeUnixNano: string }[]
  status: { code?: number }
}

type Sent = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: ReceivedSpan[] }[]
  }[]
}

/** A receiver of traces: OTLP over HTTP, in JSON. `answer` may leave a sender waiting. */
export async function startOtlp(answer: (response: ServerResponse) => void = accept) {
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    bodies.push(`${request.method} ${request.url}\n${body}`)
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    spans: () => bodies.flatMap(spansOf),
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(done))
    },
  }
}

function accept(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
}

function spansOf(text: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(text.slice(text.indexOf('\n'))) as Sent
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
}

/** Its attributes, whatever their type, as text. */
export function attributesOf({ attributes }: ReceivedSpan): Record<string, string> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, textOf(value)]))
}

function textOf({ arrayValue, ...one }: SentValue): string {
  return arrayValue === undefined
    ? Object.values(one).map(String).join()
    : arrayValue.values.map(textOf).join()
}

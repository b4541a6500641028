import { once } from 'node:events'
import { request, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/** A reader of one stream, on a connection of its own, who can leave at any moment. */
export async function readStream(
  url: string,
  key: string,
  body: object = {},
): Promise<StreamReader> {
  const sent = request(`${url}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
  const messages = [{ role: 'user', content: 'Habari' }]
  sent.end(JSON.stringify({ model: 'lab/mto', stream: true, messages, ...body }))
  sent.on('error', () => {})
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return new StreamReader(answer)
}

export class StreamReader {
  text = ''
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly #answer: IncomingMessage
  readonly #ended: Promise<void>

  constructor(answer: IncomingMessage) {
    this.#answer = answer
    this.status = answer.statusCode!
    this.headers = answer.headers
    answer.setEncoding('utf8').on('data', (text: string) => (this.text += text))
    this.#ended = new Promise((done) => answer.once('close', done))
    answer.on('error', () => {})
  }

  /** Until this text has arrived. */
  async until(wanted: string): Promise<void> {
    while (!this.text.includes(wanted)) await once(this.#answer, 'data')
  }

  async whole(): Promise<string> {
    await this.#ended
    return this.text
  }

  /** Takes nothing more, until `resume`. */
  pause(): void {
    this.#answer.pause()
  }

  resume(): void {
    this.#answer.resume()
  }

  leave(): void {
    this.#answer.destroy()
  }
}

/** Lets all that are reading leave at once; resolves when the service has noticed. */
export function watchLeaving(server: Server): (...readers: StreamReader[]) => Promise<void> {
  const open = new Set<ServerResponse>()
  server.on('request', (_request, response: ServerResponse) => {
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  return async (...readers) => {
    const noticed = Promise.all([...open].map((response) => once(response, 'close')))
    for (const reader of readers) reader.leave()
    await noticed
  }
}

import { Agent, request } from 'undici'

const LARGEST_ANSWER_BYTES = 64 * 1024
const TOTAL_TIMEOUT_MS = 15_000

export type SmsAnswer = { status: number; json: unknown }

/** A small HTTP client for SMS providers: own connections, short time-outs, no redirects. */
export function openSmsHttp() {
  const agent = new Agent({
    connections: 4,
    connect: { timeout: 5_000 },
    headersTimeout: 10_000,
    bodyTimeout: 10_000,
  })
  return {
    async post(url: string, headers: Record<string, string>, body: string): Promise<SmsAnswer> {
      const answer = await request(url, {
        method: 'POST',
        headers,
        body,
        dispatcher: agent,
        signal: AbortSignal.timeout(TOTAL_TIMEOUT_MS),
      })
      return { status: answer.statusCode, json: parsed(await limited(answer.body)) }
    },
    close: () => agent.close(),
  }
}

async function limited(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop destroys the body: nobody reads the rest.
    if (bytes > LARGEST_ANSWER_BYTES) return ''
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // An answer that is no JSON is an ordinary bad answer: the caller sees `undefined`.
    return undefined
  }
}

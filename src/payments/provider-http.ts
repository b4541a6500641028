import { Agent, request } from 'undici'

/** One HTTP exchange with a payment provider: bounded in time and size, no redirects followed. */
export async function exchange(call: ProviderCall): Promise<Exchange> {
  // The cause is dropped on purpose: messages of the client may quote addresses and headers.
  try {
    const answer = await request(call.url, {
      dispatcher: agent,
      method: call.method,
      headers: { accept: 'application/json', ...call.headers },
      body: call.body ?? null,
      signal: AbortSignal.timeout(call.timeoutMs),
    })
    const text = await readCapped(answer.body)
    return { status: answer.statusCode, json: parsed(text) }
  } catch (error) {
    return { status: 0, reason: reasonOf(error) }
  }
}

export type ProviderCall = {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
  timeoutMs: number
}

/** `status: 0` says that no whole answer came; whether the request arrived is not known. */
export type Exchange = { status: 0; reason: string } | { status: number; json: unknown }

export function isAnswer(exchange: Exchange): exchange is { status: number; json: unknown } {
  return exchange.status !== 0
}

/** Picks a member of an untrusted JSON value; undefined where there is none. */
export function pick(value: unknown, ...path: string[]): unknown {
  let at = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = (at as Record<string, unknown>)[name]
  }
  return at
}

export function textAt(value: unknown, ...path: string[]): string | undefined {
  const found = pick(value, ...path)
  return typeof found === 'string' && found !== '' && found.length <= 200 ? found : undefined
}

/** Whole TZS from a number or a string such as "5000" or "5000.00"; undefined for all else. */
export function wholeTzs(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  if (typeof value !== 'string' || !/^\d{1,12}(\.0{1,6})?$/.test(value)) return undefined
  return Number(value)
}

const agent = new Agent({ connect: { timeout: 5_000 }, connections: 16, pipelining: 1 })
const LARGEST_ANSWER_BYTES = 256 * 1024

async function readCapped(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > LARGEST_ANSWER_BYTES) throw new Error('answer_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Garbage is an answer too: its status counts, its body says nothing. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no_answer'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout'
  if (error.message === 'answer_too_large') return error.message
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? code.toLowerCase() : 'no_answer'
}

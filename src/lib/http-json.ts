import { parseForeignJson } from './json.ts'
import { Failure } from './failure.ts'

/**
 * Reads the JSON body of an HTTP answer, up to `limitBytes`. A body that is not JSON gives
 * undefined: the status of the answer still counts. A longer one throws `answer_too_large`.
 */
export async function readCappedJson(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
): Promise<unknown> {
  const bytes = await readCapped(body, limitBytes)
  try {
    return parseForeignJson(bytes)
  } catch {
    return undefined
  }
}

/** Keys of an issuer are the largest answers. */
const FETCHED_BYTES = 256 * 1024

/** `fetch` for libraries that parse answers themselves: what they are given is small and flat. */
export async function cappedFetch(
  url: string,
  { body, ...options }: Omit<RequestInit, 'body'> & { body?: RequestInit['body'] | undefined },
): Promise<Response> {
  const answer = await fetch(url, { ...options, body: body ?? null })
  const bytes =
    answer.body === null ? Buffer.alloc(0) : await readCapped(answer.body, FETCHED_BYTES)
  try {
    parseForeignJson(bytes)
  } catch (error) {
    // A body that is no JSON is the library's to judge.
    if (error instanceof Failure) throw new AnswerTooLarge()
  }
  const { status, statusText, headers } = answer
  return new Response(bytes.length === 0 ? null : bytes, { status, statusText, headers })
}

async function readCapped(body: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop destroys the body: the rest is never read.
    if (bytes > limitBytes) throw new AnswerTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

class AnswerTooLarge extends Error {
  readonly code = 'answer_too_large'
}

/**
 * Reads the JSON body of an HTTP answer, up to `limitBytes`. A body that is not JSON gives
 * undefined: the status of the answer still counts. A longer one throws `answer_too_large`.
 */
export async function readCappedJson(
  body: AsyncIterable<Buffer>,
  limitBytes: number,
): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    // Leaving the loop destroys the body: the rest is never read.
    if (bytes > limitBytes) throw new AnswerTooLarge()
    chunks.push(chunk)
  }
  return parsed(Buffer.concat(chunks).toString('utf8'))
}

class AnswerTooLarge extends Error {
  readonly code = 'answer_too_large'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

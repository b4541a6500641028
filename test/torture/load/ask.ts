import { Agent, request } from 'undici'

export type Asked = {
  line: string
  token?: string | undefined
  body?: unknown
  /** Bytes as they are, with their own content type in `headers`. */
  raw?: Buffer | undefined
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  /** Then the caller gives up, as if the line had broken. */
  patienceMs?: number
  /** Called with every piece of the answer; `false` hangs up. */
  onPiece?: (piece: Buffer) => boolean
}

/** `status` 0: no answer came. `refused`: nobody listened, so nothing can have happened. */
export type Heard = {
  status: number
  headers: Record<string, string | undefined>
  text: string
  whole: boolean
  refused: boolean
  left: boolean
}

const agent = new Agent({
  connections: 256,
  keepAliveTimeout: 4_000,
  headersTimeout: 60_000,
  bodyTimeout: 60_000,
  connect: { timeout: 5_000 },
})
/** A connection for each call: it can be refused, but never be closed under a call that was sent. */
export const freshAgent = new Agent({
  connections: 1_024,
  pipelining: 0,
  connect: { timeout: 10_000 },
})

/** Never throws: what went wrong is what was heard. */
export async function ask(url: string, asked: Asked, dispatcher: Agent = agent): Promise<Heard> {
  const heard: Heard = {
    status: 0,
    headers: {},
    text: '',
    whole: false,
    refused: false,
    left: false,
  }
  const [method, path] = asked.line.split(' ') as ['GET', string]
  const hangUp = new AbortController()
  const signals = [hangUp.signal, AbortSignal.timeout(asked.patienceMs ?? 8_000)]
  if (asked.signal !== undefined) signals.push(asked.signal)
  try {
    const answer = await request(url + path, {
      method,
      dispatcher,
      headers: headersOf(asked),
      body: asked.raw ?? (asked.body === undefined ? null : JSON.stringify(asked.body)),
      signal: AbortSignal.any(signals),
    })
    heard.status = answer.statusCode
    heard.headers = answer.headers as Heard['headers']
    const pieces: Buffer[] = []
    for await (const piece of answer.body) {
      pieces.push(piece as Buffer)
      if (asked.onPiece?.(piece as Buffer) === false) hangUp.abort()
    }
    heard.text = Buffer.concat(pieces).toString('utf8')
    heard.whole = true
  } catch (error) {
    heard.refused = (error as { code?: string }).code === 'ECONNREFUSED'
    heard.left = hangUp.signal.aborted || asked.signal?.aborted === true
  }
  return heard
}

function headersOf({ token, body, headers = {} }: Asked): Record<string, string> {
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  }
}

export async function closeAgents(): Promise<void> {
  await Promise.all([agent.destroy(), freshAgent.destroy()])
}

import { Agent, request } from 'undici'

export type ClientCall = {
  /** Method and path: `POST /v1/embeddings`. */
  endpoint: string
  token?: string | undefined
  body?: unknown
  /** Bytes as they are, with their own content type in `headers`. */
  raw?: Buffer | undefined
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  /** After this long the caller gives up, as if the connection had broken. */
  patienceMs?: number
  /** Called with every piece of the answer; `false` hangs up. */
  onPiece?: (piece: Buffer) => boolean
}

/**
 * `status` 0: no answer came. `refused`: nobody listened, so nothing can have happened. `reset`:
 * the connection was reset before an answer came, as it is when the listener closes before it was
 * accepted.
 */
export type ClientAnswer = {
  status: number
  headers: Record<string, string | undefined>
  text: string
  whole: boolean
  refused: boolean
  reset: boolean
  left: boolean
}

/** Made anew after `closeAgents`: another file of tests may run in the same process. */
let agents = newAgents()

function newAgents() {
  return {
    usual: new Agent({
      connections: 256,
      keepAliveTimeout: 4_000,
      headersTimeout: 60_000,
      bodyTimeout: 60_000,
      connect: { timeout: 5_000 },
    }),
    /** A connection for each call: it can be refused, but never be closed under a call that was sent. */
    fresh: new Agent({ connections: 1_024, pipelining: 0, connect: { timeout: 10_000 } }),
  }
}

/** Never throws: what went wrong is part of the answer. */
export async function callService(
  url: string,
  call: ClientCall,
  connections: keyof typeof agents = 'usual',
): Promise<ClientAnswer> {
  const answer: ClientAnswer = {
    status: 0,
    headers: {},
    text: '',
    whole: false,
    refused: false,
    reset: false,
    left: false,
  }
  const [method, path] = call.endpoint.split(' ') as ['GET', string]
  const hangUp = new AbortController()
  const signals = [hangUp.signal, AbortSignal.timeout(call.patienceMs ?? 8_000)]
  if (call.signal !== undefined) signals.push(call.signal)
  try {
    const response = await request(url + path, {
      method,
      dispatcher: agents[connections],
      headers: headersOf(call),
      body: call.raw ?? (call.body === undefined ? null : JSON.stringify(call.body)),
      signal: AbortSignal.any(signals),
    })
    answer.status = response.statusCode
    answer.headers = response.headers as ClientAnswer['headers']
    const pieces: Buffer[] = []
    for await (const piece of response.body) {
      pieces.push(piece as Buffer)
      if (call.onPiece?.(piece as Buffer) === false) hangUp.abort()
    }
    answer.text = Buffer.concat(pieces).toString('utf8')
    answer.whole = true
  } catch (error) {
    answer.refused = neverConnected(error)
    answer.reset = answer.status === 0 && isReset(error)
    answer.left = hangUp.signal.aborted || call.signal?.aborted === true
  }
  return answer
}

/** A listener that closes at that very moment resets the connection instead of refusing it. */
function neverConnected(error: unknown): boolean {
  const { code = '', syscall } = error as { code?: string; syscall?: string }
  return syscall === 'connect' && ['ECONNREFUSED', 'ECONNRESET'].includes(code)
}

function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes((error as { code?: string }).code ?? '')
}

function headersOf({ token, body, headers = {} }: ClientCall): Record<string, string> {
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  }
}

export async function closeAgents(): Promise<void> {
  const { usual, fresh } = agents
  agents = newAgents()
  await Promise.all([usual.destroy(), fresh.destroy()])
}

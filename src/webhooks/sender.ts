import { isIP } from 'node:net'
import { Agent, request } from 'undici'
import { AddressRefused, bareHost, guardedLookup, type Reach } from './address.ts'

/** The status, and how long to wait if it says so; or a code for why there is none. */
export type PostResult = { status: number; retryAfterMs?: number } | { error: string }

export type WebhookSender = {
  /** Never throws: a failed delivery is an ordinary result. */
  post(url: string, headers: Record<string, string>, body: string): Promise<PostResult>
  close(): Promise<void>
}

const TOTAL_TIMEOUT_MS = 10_000
/** Of an answer nothing but the status counts. */
const LARGEST_ANSWER_BYTES = 16 * 1024

/** A small HTTP client: checked addresses, short time-outs, no redirects, small answers. */
export function openWebhookSender(reach: Reach, timeoutMs = TOTAL_TIMEOUT_MS): WebhookSender {
  const agents = { 'https:': agentFor(reach, 'https:'), 'http:': agentFor(reach, 'http:') }
  return {
    async post(url, headers, body) {
      try {
        const to = new URL(url)
        const dispatcher = to.protocol === 'http:' ? agents['http:'] : agents['https:']
        if (!reach.allowsPort(to)) throw new AddressRefused('port_not_allowed')
        const host = bareHost(to)
        // An IP address is not looked up.
        if (isIP(host) !== 0 && !reach.allows(host, to.protocol)) throw new AddressRefused()
        const answer = await request(to, {
          method: 'POST',
          headers: { ...HEADERS, ...headers },
          body,
          dispatcher,
          signal: AbortSignal.timeout(timeoutMs),
        })
        await answer.body.dump({ limit: LARGEST_ANSWER_BYTES }).catch(() => {})
        const retryAfterMs = waitOf(answer.headers['retry-after'])
        return { status: answer.statusCode, ...(retryAfterMs !== undefined && { retryAfterMs }) }
      } catch (error) {
        return { error: codeOf(error) }
      }
    },
    async close() {
      await Promise.all([agents['https:'].destroy(), agents['http:'].destroy()])
    },
  }
}

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'mlango-webhooks' }

function agentFor(reach: Reach, protocol: string): Agent {
  return new Agent({
    connections: 4,
    maxHeaderSize: LARGEST_ANSWER_BYTES,
    connect: { timeout: 5_000, lookup: guardedLookup(reach, protocol) },
  })
}

/** `Retry-After`: seconds, or a date. Nobody is waited for longer than a day. */
function waitOf(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return ms > 0 ? Math.min(ms, LONGEST_WAIT_MS) : undefined
}

const LONGEST_WAIT_MS = 86_400_000

/** Without its message, which may quote hosts and addresses. */
function codeOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout'
  const code = (error as { code?: unknown } | null)?.code
  if (typeof code === 'string') return code
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return 'unknown_error'
}

import { Agent, request } from 'undici'
import { readCappedJson } from '../lib/http-json.ts'
import type { Delivery, Message, MessageSender } from './sender.ts'
import { delivered, errorCode, tryLater } from './sender.ts'

const LARGEST_ANSWER_BYTES = 64 * 1024
const TOTAL_TIMEOUT_MS = 15_000

/** What the file of an SMS provider says: how to send a message, and what the answer means. */
export type SmsProvider = {
  url: string
  headers(message: Message): Record<string, string>
  body(message: Message): string
  outcome(answer: SmsAnswer): Delivery
  /** What is asked with GET to see whether our credentials are accepted. */
  check: { url: string; headers: Record<string, string> }
}

/** `json` is undefined when the answer was no JSON. */
export type SmsAnswer = { status: number; json: unknown }

/** A sender over a small HTTP client: own connections, short time-outs, no redirects. */
export function smsSender(provider: SmsProvider): MessageSender {
  const agent = new Agent({
    connections: 4,
    connect: { timeout: 5_000 },
    headersTimeout: 10_000,
    bodyTimeout: 10_000,
  })
  return {
    async send(message) {
      try {
        return provider.outcome(await post(agent, provider, message))
      } catch (error) {
        return tryLater(errorCode(error))
      }
    },
    async check() {
      try {
        const { status } = await call(agent, { method: 'GET', ...provider.check })
        return status < 300 ? delivered : tryLater(`http_${status}`)
      } catch (error) {
        return tryLater(errorCode(error))
      }
    },
    close: () => agent.close(),
  }
}

function post(agent: Agent, provider: SmsProvider, message: Message): Promise<SmsAnswer> {
  const headers = provider.headers(message)
  return call(agent, { method: 'POST', url: provider.url, headers, body: provider.body(message) })
}

type SmsCall = {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
}

async function call(agent: Agent, { url, ...rest }: SmsCall): Promise<SmsAnswer> {
  const answer = await request(url, {
    ...rest,
    dispatcher: agent,
    signal: AbortSignal.timeout(TOTAL_TIMEOUT_MS),
  })
  const json = await readCappedJson(answer.body, LARGEST_ANSWER_BYTES)
  return { status: answer.statusCode, json }
}

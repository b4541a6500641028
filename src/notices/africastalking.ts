import { z } from 'zod'
import type { Delivery, Message, MessageSender } from './sender.ts'
import { delivered, giveUp, tryLater } from './sender.ts'
import type { SmsAnswer } from './sms-http.ts'
import { smsSender } from './sms-http.ts'

/** SMS by Africa's Talking: a form with an `apiKey` header, numbers with the plus. */
export function africasTalkingSender(settings: {
  baseUrl: string
  username: string
  apiKey: string
}): MessageSender {
  const { username, apiKey } = settings
  const base = settings.baseUrl.replace(/\/+$/, '')
  return smsSender({
    url: `${base}/version1/messaging`,
    check: {
      url: `${base}/version1/user?${new URLSearchParams({ username }).toString()}`,
      headers: { apiKey, accept: 'application/json' },
    },
    headers: (message) => headersFor(message, apiKey),
    body: (message) => formOf(message, username),
    outcome,
  })
}

function headersFor(message: Message, apiKey: string): Record<string, string> {
  return {
    apiKey,
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'idempotency-key': message.id,
  }
}

function formOf(message: Message, username: string): string {
  return new URLSearchParams({
    username,
    to: message.to,
    message: message.text,
    bulkSMSMode: '1',
  }).toString()
}

const ACCEPTED = new Set([100, 101, 102])
/** Invalid number, unsupported kind of number, blocked by the recipient, do not disturb. */
const FINAL = new Set([403, 404, 406, 409])

const answerShape = z.object({
  SMSMessageData: z.object({ Recipients: z.array(z.object({ statusCode: z.number() })) }),
})

/** HTTP 201 is not enough: each recipient has a status of its own. */
function outcome({ status, json }: SmsAnswer): Delivery {
  const answer = answerShape.safeParse(json)
  const code = answer.data?.SMSMessageData.Recipients[0]?.statusCode
  if (status >= 300 || code === undefined) return tryLater(`africastalking_http_${status}`)
  if (ACCEPTED.has(code)) return delivered
  return FINAL.has(code) ? giveUp(`africastalking_${code}`) : tryLater(`africastalking_${code}`)
}

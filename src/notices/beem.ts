import { z } from 'zod'
import { fieldsOf } from '../lib/json.ts'
import { sha256 } from '../lib/secrets.ts'
import type { Delivery, Message, MessageSender } from './sender.ts'
import { delivered, giveUp, tryLater } from './sender.ts'
import type { SmsAnswer } from './sms-http.ts'
import { smsSender } from './sms-http.ts'

/** SMS by Beem: JSON with Basic credentials, numbers without the plus. */
export function beemSender(settings: {
  baseUrl: string
  apiKey: string
  secretKey: string
  senderId: string
}): MessageSender {
  const basic = Buffer.from(`${settings.apiKey}:${settings.secretKey}`).toString('base64')
  const headers = { authorization: `Basic ${basic}`, 'content-type': 'application/json' }
  const base = settings.baseUrl.replace(/\/+$/, '')
  return smsSender({
    url: `${base}/v1/send`,
    check: { url: `${base}/public/v1/vendors/balance`, headers },
    headers: () => headers,
    body: (message) => bodyOf(message, settings.senderId),
    outcome,
  })
}

function bodyOf(message: Message, senderId: string): string {
  return JSON.stringify({
    source_addr: senderId,
    encoding: 0,
    schedule_time: '',
    message: message.text,
    recipients: [{ recipient_id: reference(message.id), dest_addr: message.to.replace('+', '') }],
  })
}

/** Beem requires a number here; the same message always gives the same one. */
function reference(id: string): number {
  return sha256(id).readUInt32BE(0) & 0x7fffffff || 1
}

const ACCEPTED = 100
const INVALID_NUMBER = 101

const answerShape = z.object({
  successful: z.boolean().optional(),
  code: z.number(),
  invalid: z.number().optional(),
})

function outcome({ status, json }: SmsAnswer): Delivery {
  // Some refusals come as `{data: {code, message}}`.
  const answer = answerShape.safeParse(fieldsOf(json).data ?? json)
  if (!answer.success) return tryLater(`beem_http_${status}`)
  const { code, invalid, successful } = answer.data
  if (code === INVALID_NUMBER || (code === ACCEPTED && (invalid ?? 0) > 0)) {
    return giveUp('beem_invalid_number')
  }
  const accepted = status < 300 && code === ACCEPTED && successful !== false
  return accepted ? delivered : tryLater(`beem_${code}`)
}

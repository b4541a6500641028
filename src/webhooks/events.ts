import type { Tx } from '../db/db.ts'
import { uuidv7 } from '../lib/ids.ts'
import { insertDeliveries } from './deliveries-store.ts'

/** What each event contains: ids and amounts, never a person's address or a secret. */
export type WebhookData = {
  'payment.completed': {
    payment_id: string
    account_id: string
    amount_tzs: number
    credits: number
    late: boolean
  }
  'payment.review': {
    payment_id: string
    account_id: string
    amount_tzs: number
    status: string
    reason: string
  }
  'account.suspended': { account_id: string }
  'upstream.down': { upstream: string; why: string; since: string }
  /** Accounts that never paid reached what all of them may leave unpaid on a day. */
  'unpaid.limit': { day: string; unpaid_credits: number; limit_credits: number }
  'balance.low': { account_id: string; available_credits: number }
  'video.completed': { video_id: string; account_id: string; model: string }
  /** The last link of the operators' log. */
  'audit.head': { seq: number; hash: string }
}

export const WEBHOOK_EVENTS = [
  'payment.completed',
  'payment.review',
  'account.suspended',
  'upstream.down',
  'unpaid.limit',
  'balance.low',
  'video.completed',
  'audit.head',
] as const satisfies readonly (keyof WebhookData)[]

export type WebhookEvent = {
  [Type in keyof WebhookData]: { type: Type; data: WebhookData[Type] }
}[keyof WebhookData]

/** Queues the event for its subscribers, in the transaction in which it happens. */
export async function tellWebhooks(tx: Tx, { type, data }: WebhookEvent): Promise<void> {
  const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data })
  await insertDeliveries(tx, { eventId: uuidv7(), type, body })
}

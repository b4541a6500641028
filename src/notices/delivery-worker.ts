import type { Db } from '../db/db.ts'
import { uuidv7 } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { createRowWorker, retryDelayMs, type RowWorker } from '../db/row-worker.ts'
import { claimMessage, markDead, markForRetry, markSent } from './outbox-store.ts'
import type { ClaimedMessage } from './outbox-store.ts'
import { giveUp, tryLater } from './sender.ts'
import type { Channel, Delivery, MessageSender } from './sender.ts'
import { judgeSms, type SmsRules } from './sms-budget.ts'

type Parts = {
  db: Db
  log: Log
  channel: Channel
  sender: MessageSender
  random: () => number
  smsRules: SmsRules
}

const MOST_LOOPS = 4
/** A send is abandoned after this; the lease is longer, so nobody else sends meanwhile. */
const SEND_TIMEOUT_MS = 30_000
const LEASE_MS = 90_000

/** Sends what waits in the outbox on one channel. */
export function createDeliveryWorker(parts: Parts): RowWorker {
  return createRowWorker({
    mostLoops: MOST_LOOPS,
    next: (onFound) => deliverNext(parts, onFound),
    onError(error) {
      parts.log.warn('The delivery of messages stopped; it will be tried again.', {
        reason: parts.channel,
        error,
      })
    },
  })
}

async function deliverNext(parts: Parts, onFound: () => void): Promise<boolean> {
  const claim = { channel: parts.channel, leaseId: uuidv7(), leaseMs: LEASE_MS }
  const message = await claimMessage(parts.db, claim)
  if (!message) return false
  onFound()
  if (message.expired) {
    await markDead(parts.db, message, 'expired')
    return true
  }
  const { db, smsRules } = parts
  const verdict = message.channel === 'sms' ? await judgeSms(db, smsRules, message) : 'send'
  if (verdict === 'folded') return true
  const out = verdict === 'send' ? sendInTime(parts.sender, message) : giveUp('country_not_served')
  await settle(parts, message, await out)
  return true
}

async function sendInTime(sender: MessageSender, message: ClaimedMessage): Promise<Delivery> {
  const { promise: late, resolve } = Promise.withResolvers<Delivery>()
  const timer = setTimeout(() => resolve(tryLater('send_timeout')), SEND_TIMEOUT_MS)
  try {
    return await Promise.race([sender.send(message), late])
  } finally {
    clearTimeout(timer)
  }
}

async function settle(parts: Parts, message: ClaimedMessage, delivery: Delivery): Promise<void> {
  if (delivery.ok) return markSent(parts.db, message)
  const { reason, permanent } = delivery
  const about = { job: `outbox-${parts.channel}`, job_id: message.id, attempt: message.attempts }
  if (permanent || message.attempts >= MOST_TRIES) {
    parts.log.error('A message could not be delivered.', { ...about, reason })
    return markDead(parts.db, message, reason)
  }
  parts.log.warn('A message was not sent; it will be tried again.', { ...about, reason })
  const delayMs = retryDelayMs(message.attempts, parts.random())
  return markForRetry(parts.db, message, { reason, delayMs })
}

/** Enough tries to outlast a mail server or SMS provider that is down for most of a day. */
const MOST_TRIES = 24

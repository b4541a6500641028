import type { Db } from '../db/db.ts'
import { uuidv7 } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { MOST_TRIES, retryDelayMs } from './backoff.ts'
import { claimMessage, markDead, markForRetry, markSent } from './outbox-store.ts'
import type { ClaimedMessage } from './outbox-store.ts'
import { tryLater } from './sender.ts'
import type { Channel, Delivery, Sender } from './sender.ts'

export type Lane = {
  /**
   * Looks for work now, unless enough workers are at it. Never throws, never waits. Before the first
   * `run` it does nothing: a process that only asks questions must not begin to send.
   */
  kick(): void
  /** Looks for work and stays until the lane is idle. Once aborted, nothing new is claimed. */
  run(signal: AbortSignal): Promise<void>
  /** Resolves when nothing is being sent. */
  idle(): Promise<void>
}

type Parts = { db: Db; log: Log; channel: Channel; sender: Sender; random: () => number }

const MOST_WORKERS = 4
/** A send is given up after this; the lease outlasts it, so nobody else sends meanwhile. */
const SEND_TIMEOUT_MS = 30_000
const LEASE_MS = 90_000

export function createLane(parts: Parts): Lane {
  const workers = new Set<Promise<void>>()
  let signal: AbortSignal | undefined
  const stopped = () => signal === undefined || signal.aborted

  const kick = () => {
    if (stopped() || workers.size >= MOST_WORKERS) return
    const worker = work().finally(() => workers.delete(worker))
    workers.add(worker)
  }
  const work = async () => {
    try {
      // Each worker that finds something calls one more: the lane is as wide as the queue is long.
      while (!stopped() && (await deliverNext(parts, kick)));
    } catch (error) {
      // Nobody awaits a worker that a NOTIFY woke. The rows stay; the next look finds them.
      parts.log.warn('outbox lane stopped', { reason: parts.channel, error })
    }
  }
  const idle = async () => {
    while (workers.size > 0) await Promise.all(workers)
  }
  return {
    kick,
    idle,
    run(current) {
      signal = current
      kick()
      return idle()
    },
  }
}

async function deliverNext(parts: Parts, found: () => void): Promise<boolean> {
  const claim = { channel: parts.channel, leaseId: uuidv7(), leaseMs: LEASE_MS }
  const message = await claimMessage(parts.db, claim)
  if (!message) return false
  found()
  if (message.expired) {
    await markDead(parts.db, message, 'expired')
    return true
  }
  await settle(parts, message, await sendInTime(parts.sender, message))
  return true
}

async function sendInTime(sender: Sender, message: ClaimedMessage): Promise<Delivery> {
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
    parts.log.error('message is undeliverable', { ...about, reason })
    return markDead(parts.db, message, reason)
  }
  parts.log.warn('message will be tried again', { ...about, reason })
  const delayMs = retryDelayMs(message.attempts, parts.random())
  return markForRetry(parts.db, message, { reason, delayMs })
}

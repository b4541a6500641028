import type { Db } from '../db/db.ts'
import type { BackgroundJob } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { RowWorker } from '../db/row-worker.ts'
import { createDeliveryWorker } from './delivery-worker.ts'
import { OUTBOX_CHANNEL } from './outbox-store.ts'
import type { Channel, MessageSender } from './sender.ts'
import { digestJob, type SmsRules } from './sms-budget.ts'

export type Outbox = {
  jobs: BackgroundJob[]
  /** After its jobs were stopped: waits for what is being sent, then closes the senders. */
  close(): Promise<void>
}

/**
 * One worker per channel, so that a slow mail server never delays an SMS. New rows wake a worker at
 * once through NOTIFY; the timer is for retries, and for what a lost NOTIFY left behind.
 */
export async function openOutbox(parts: {
  db: Db
  senders: Record<Channel, MessageSender>
  log: Log
  smsRules: SmsRules
  random?: () => number
}): Promise<Outbox> {
  const random = parts.random ?? Math.random
  const { db, log, senders, smsRules } = parts
  const workerOf = (channel: Channel) =>
    createDeliveryWorker({ db, log, channel, sender: senders[channel], random, smsRules })
  const workers = { email: workerOf('email'), sms: workerOf('sms') }
  await db.listen(OUTBOX_CHANNEL, (channel) => {
    if (channel === 'email' || channel === 'sms') workers[channel].wake()
  })
  return {
    jobs: [
      deliveryJob('outbox-email', workers.email),
      deliveryJob('outbox-sms', workers.sms),
      digestJob(db, smsRules),
    ],
    async close() {
      await Promise.all([workers.email.idle(), workers.sms.idle()])
      await Promise.all([senders.email.close(), senders.sms.close()])
    },
  }
}

const DELIVER_EVERY_MS = 5_000

function deliveryJob(name: string, worker: RowWorker): BackgroundJob {
  return { name, everyMs: DELIVER_EVERY_MS, run: (signal) => worker.run(signal) }
}

import type { Db, Tx } from '../db/db.ts'
import type { Log } from '../lib/log.ts'
import { createLane } from './delivery-worker.ts'
import type { Lane } from './delivery-worker.ts'
import { insertMessage, OUTBOX_CHANNEL, trimMessages } from './outbox-store.ts'
import type { NewMessage } from './outbox-store.ts'
import type { Channel, Sender } from './sender.ts'

export type { NewMessage } from './outbox-store.ts'

/** Puts a message in the outbox in the caller's transaction. It goes out when that commits. */
export async function enqueue(tx: Tx, message: NewMessage): Promise<void> {
  await insertMessage(tx, message)
}

export type Outbox = {
  duties: OutboxDuty[]
  /** After the duties were stopped: waits for what is being sent, then hangs up. */
  close(): Promise<void>
}

type OutboxDuty = { name: string; everyMs: number; run(signal: AbortSignal): Promise<void> }

/**
 * One lane per channel, so that a slow mail server never holds up an SMS. New rows wake a lane at
 * once through NOTIFY; the clock is for retries, and for what a lost NOTIFY left behind.
 */
export async function openOutbox(parts: {
  db: Db
  senders: Record<Channel, Sender>
  log: Log
  random?: () => number
}): Promise<Outbox> {
  const random = parts.random ?? Math.random
  const lane = (channel: Channel) =>
    createLane({ db: parts.db, log: parts.log, channel, sender: parts.senders[channel], random })
  const lanes = { email: lane('email'), sms: lane('sms') }
  await parts.db.listen(OUTBOX_CHANNEL, (channel) => {
    if (channel === 'email' || channel === 'sms') lanes[channel].kick()
  })
  return {
    duties: [
      laneDuty('outbox-email', lanes.email),
      laneDuty('outbox-sms', lanes.sms),
      trim(parts.db),
    ],
    async close() {
      await Promise.all([lanes.email.idle(), lanes.sms.idle()])
      await Promise.all([parts.senders.email.close(), parts.senders.sms.close()])
    },
  }
}

const LOOK_EVERY_MS = 5_000
const TRIM_EVERY_MS = 3_600_000
const TRIM_BATCH = 500

function laneDuty(name: string, lane: Lane): OutboxDuty {
  return { name, everyMs: LOOK_EVERY_MS, run: (signal) => lane.run(signal) }
}

function trim(db: Db): OutboxDuty {
  const keep = { sentDays: 7, deadDays: 90, batch: TRIM_BATCH }
  return {
    name: 'outbox-trim',
    everyMs: TRIM_EVERY_MS,
    async run(signal) {
      while (!signal.aborted && (await trimMessages(db, keep)) === TRIM_BATCH);
    },
  }
}

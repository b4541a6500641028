import type { Db } from '../db/db.ts'
import type { Clock, BackgroundJob } from '../lib/clock.ts'
import { isUuid, uuidv7 } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { createRowWorker, retryDelayMs, type RowWorker } from '../db/row-worker.ts'
import type { KeyList } from '../lib/secrets.ts'
import {
  claimDelivery,
  dueEndpoints,
  settleDelivery,
  WEBHOOK_CHANNEL,
  type ClaimedDelivery,
} from './deliveries-store.ts'
import { disableGone, eraseSpentSecrets } from './endpoints-store.ts'
import { openSecrets, signedHeaders } from './secrets.ts'
import type { PostResult, WebhookSender } from './sender.ts'

type Parts = {
  db: Db
  log: Log
  clock: Clock
  keys: KeyList
  sender: WebhookSender
  random?: () => number
}

export type Webhooks = {
  jobs: BackgroundJob[]
  /** After the background jobs were stopped: waits for what is being sent. */
  close(): Promise<void>
}

const EVERY_MS = 5_000
const ERASE_EVERY_MS = 600_000
/** For each endpoint and process. */
const MOST_LOOPS = 2
/** Longer than a delivery can take, so nobody else sends it meanwhile. */
const LEASE_S = 60
/** Enough tries to outlast most of a day. */
const MOST_TRIES = 24

/**
 * A worker for each endpoint, so that a slow one never delays the others. New rows wake it through
 * NOTIFY; the timer is for retries, and for what a lost NOTIFY left behind.
 */
export async function openWebhooks(parts: Parts): Promise<Webhooks> {
  const { db } = parts
  const workers = new Map<string, RowWorker>()
  let signal: AbortSignal | undefined
  const work = (endpointId: string) => {
    if (signal === undefined || signal.aborted) return
    const worker = workers.get(endpointId) ?? workerFor(parts, endpointId)
    workers.set(endpointId, worker)
    // Not awaited: otherwise every endpoint would be as slow as the slowest.
    void worker.run(signal).then(() => workers.delete(endpointId))
  }
  await db.listen(WEBHOOK_CHANNEL, (endpointId) => {
    if (isUuid(endpointId)) work(endpointId)
  })
  return {
    jobs: [
      {
        name: 'webhooks',
        everyMs: EVERY_MS,
        async run(current) {
          signal = current
          for (const endpointId of await dueEndpoints(db)) work(endpointId)
        },
      },
      {
        name: 'webhook-secrets',
        everyMs: ERASE_EVERY_MS,
        run: async () => void (await eraseSpentSecrets(db)),
      },
    ],
    async close() {
      await Promise.all([...workers.values()].map((worker) => worker.idle()))
      await parts.sender.close()
    },
  }
}

function workerFor(parts: Parts, endpointId: string): RowWorker {
  return createRowWorker({
    mostLoops: MOST_LOOPS,
    next: (onFound) => deliverNext(parts, endpointId, onFound),
    onError(error) {
      const about = { job: 'webhooks', job_id: endpointId, error }
      parts.log.warn('The delivery of webhooks stopped; it will be tried again.', about)
    },
  })
}

async function deliverNext(
  parts: Parts,
  endpointId: string,
  onFound: () => void,
): Promise<boolean> {
  const { db } = parts
  const claim = { endpointId, leaseId: uuidv7(), leaseS: LEASE_S }
  const delivery = await claimDelivery(db, claim)
  if (!delivery) return false
  onFound()
  await settle(parts, delivery, await send(parts, delivery))
  return true
}

async function send(
  { keys, clock, sender }: Parts,
  { destination, eventId, body }: ClaimedDelivery,
): Promise<PostResult> {
  const secrets = openSecrets(keys, destination)
  if (!secrets) return { error: 'secret_lost' }
  const headers = signedHeaders(secrets, { id: eventId, body, now: clock.now() })
  return sender.post(destination.url, headers, body)
}

/** 2xx means delivered, 410 that nobody is there any more; anything else is tried again. */
async function settle(parts: Parts, delivery: ClaimedDelivery, posted: PostResult): Promise<void> {
  const { db, log, random = Math.random } = parts
  const status = 'status' in posted ? posted.status : undefined
  if (status !== undefined && status >= 200 && status < 300) {
    return settleDelivery(db, delivery, { state: 'delivered', status, error: undefined })
  }
  const error = 'error' in posted ? posted.error : `http_${posted.status}`
  const about = { job: 'webhooks', job_id: delivery.eventId, attempt: delivery.attempts }
  if (status === 410 && (await disableGone(db, delivery.destination))) {
    log.error('A webhook endpoint answered 410; it is switched off.', { ...about, reason: error })
  }
  if (status === 410 || delivery.attempts >= MOST_TRIES) {
    log.error('A webhook could not be delivered.', { ...about, reason: error })
    return settleDelivery(db, delivery, { state: 'dead', status, error })
  }
  log.warn('A webhook was not delivered; it will be tried again.', { ...about, reason: error })
  const asked = ('status' in posted && posted.retryAfterMs) || 0
  const delayMs = Math.max(retryDelayMs(delivery.attempts, random()), asked)
  return settleDelivery(db, delivery, { state: 'waiting', delayMs, status, error })
}

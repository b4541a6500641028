import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '../../../db/db.ts'
import { Failure } from '../../../lib/failure.ts'
import type { Fields } from '../../../lib/json.ts'
import { deleteResponse, showResponse } from '../stored/stored-responses.ts'
import { findResponseJob, leaveJob, type ShownJob } from './jobs-store.ts'

type Owned = { accountId: string; id: string }

/** One that was answered is where all others are. */
export async function readResponse(db: Db, owned: Owned & { encrypted: boolean }): Promise<Fields> {
  const job = await findResponseJob(db, owned)
  if (job === undefined || isAnswered(job)) return showResponse(db, owned)
  const response = JSON.parse(Buffer.from(job.response).toString()) as Fields
  return { ...response, status: job.status }
}

export function hasEnded({ status }: ShownJob): boolean {
  return status !== 'queued' && status !== 'in_progress'
}

function isAnswered({ status }: ShownJob): boolean {
  return status === 'completed' || status === 'incomplete'
}

const LOOK_MS = 200
/** Whoever works on it has heard of it by then. */
const MOST_LOOKS = 40

/** What has ended stays as it is. One that must be paid for goes on: it is shown as it is. */
export async function cancelResponse(
  db: Db,
  owned: Owned & { encrypted: boolean },
  signal: AbortSignal,
): Promise<Fields> {
  const job = await findResponseJob(db, owned)
  if (job === undefined) {
    await showResponse(db, owned)
    throw notInBackground()
  }
  if (!hasEnded(job)) await leaveJob(db, owned, { deletes: false })
  for (let looks = 0; looks < MOST_LOOKS && !signal.aborted; looks++) {
    const now = await findResponseJob(db, owned)
    if (now === undefined || hasEnded(now)) break
    await wait(LOOK_MS)
  }
  return readResponse(db, owned)
}

/** One that still runs is cancelled with it. */
export async function removeResponse(db: Db, owned: Owned): Promise<Fields> {
  const ran = await leaveJob(db, owned, { deletes: true })
  try {
    return await deleteResponse(db, owned)
  } catch (error) {
    if (!ran) throw error
    return { id: owned.id, object: 'response', deleted: true }
  }
}

function notInBackground(): Failure {
  return new Failure('invalid', 'response_id: this response does not run in the background.', {
    param: 'response_id',
  })
}

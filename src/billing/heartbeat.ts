import type { Db } from '../db/db.ts'
import { beat, forgetDead, leave } from './heartbeat-store.ts'

const BEAT_MS = 5_000
/** A process that has not signed for this long is dead, by the database's clock. */
export const DEAD_AFTER_MS = 20_000

export type Heartbeat = {
  name: string
  everyMs: number
  run(signal: AbortSignal): Promise<void>
  /** At the end, after the last hold was closed. */
  leave(): Promise<void>
}

/** Signs the process in before it takes its first hold; then a duty of the job loop keeps it alive. */
export async function startHeartbeat(db: Db, processId: string): Promise<Heartbeat> {
  await beat(db, processId)
  return {
    name: 'heartbeat',
    everyMs: BEAT_MS,
    async run() {
      await beat(db, processId)
      await forgetDead(db)
    },
    leave: () => leave(db, processId),
  }
}

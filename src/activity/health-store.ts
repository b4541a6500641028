import type { Tx } from '../db/db.ts'
import { deleteOldest } from '../db/purge-store.ts'

/** Every upstream is healthy, some are, or none is. */
export type HealthState = 'up' | 'degraded' | 'down'
export type HealthCounts = Record<HealthState, number>
export type HealthSpan = HealthCounts & { at: Date }

/** Counts one sample, in its step and in its day. */
export async function addHealthSample(
  tx: Tx,
  sample: { state: HealthState; step: Date; day: Date },
): Promise<void> {
  const { state, step, day } = sample
  await tx.query(
    `insert into health_samples as known (grain, at, up, degraded, down)
     values ('step', $1, $3, $4, $5), ('day', $2, $3, $4, $5)
     on conflict (grain, at) do update set up = known.up + excluded.up,
       degraded = known.degraded + excluded.degraded, down = known.down + excluded.down`,
    [step, day, Number(state === 'up'), Number(state === 'degraded'), Number(state === 'down')],
  )
}

export async function readHealth(
  tx: Tx,
  grain: 'step' | 'day',
  since: Date,
): Promise<HealthSpan[]> {
  return tx.read<HealthSpan>(
    'select at, up, degraded, down from health_samples where grain = $1 and at >= $2 order by at',
    [grain, since],
  )
}

/** A little longer than they are shown. */
export function purgeHealth(tx: Tx, batch: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'health_samples',
    where: `at < now() - case grain when 'step' then interval '2 days' else interval '100 days' end`,
    order: 'at',
  })
}

import type { Tx } from '../../../db/db.ts'
import { deleteOldest } from '../../../db/purge-store.ts'

/** Whole events, in their order. */
export type EventPiece = { first: number; count: number; events: string }

/** Only while the claim is valid, where one is named. An existing piece stays. */
export async function appendEvents(
  tx: Tx,
  { id, lease }: { id: string; lease?: string | undefined },
  { first, count, events }: EventPiece,
): Promise<void> {
  await tx.query(
    `insert into response_events (response_id, first, count, events)
     select id, $3, $4, $5 from background_responses
     where id = $1 and ($2::uuid is null or lease = $2)
     on conflict do nothing`,
    [id, lease ?? null, first, count, Buffer.from(events)],
  )
}

/** Few at once: a piece may be as long as its response. */
const PIECES = 4

export async function readEvents(tx: Tx, id: string, from: number): Promise<EventPiece[]> {
  const rows = await tx.read<{ first: bigint; count: number; events: Buffer }>(
    `select first, count, events from response_events
     where response_id = $1 and first + count > $2 order by first limit $3`,
    [id, from, PIECES],
  )
  return rows.map(({ first, count, events }) => {
    return { first: Number(first), count, events: events.toString() }
  })
}

/** Readers who lost their connection come back soon. */
export function purgeEvents(tx: Tx, batch: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'response_events',
    where: `written_at < now() - interval '2 hours'`,
    order: 'written_at',
  })
}

import type { Tx } from '../../db/db.ts'

/** Something that needs a person. */
export type Matter = { kind: string; count: number; oldestAt: Date }

/** What waits, by kind. Each count reads a small index of waiting rows. */
export async function readMatters(tx: Tx): Promise<Matter[]> {
  const parts = Object.entries(WAITING).map(
    ([kind, { at, from }]) =>
      `select '${kind}' as kind, count(*)::int as count, min(${at}) as oldest_at from ${from}`,
  )
  const rows = await tx.read<{ kind: string; count: number; oldest_at: Date | null }>(
    parts.join(' union all '),
  )
  return rows.flatMap(({ kind, count, oldest_at: oldestAt }) =>
    oldestAt === null ? [] : [{ kind, count, oldestAt }],
  )
}

const WAITING: Record<string, { at: string; from: string }> = {
  payment_review: {
    at: 'review_at',
    from: 'payments where review is not null and reviewed_at is null',
  },
  payment_stuck: {
    at: 'created_at',
    from: `payments where status = 'pending' and created_at < now() - interval '5 minutes'`,
  },
  message_dead: {
    at: 'finished_at',
    from: `outbox where state = 'dead' and finished_at > now() - interval '7 days'`,
  },
  webhook_dead: {
    at: 'finished_at',
    from: `webhook_deliveries where state = 'dead' and finished_at > now() - interval '7 days'`,
  },
  webhook_gone: { at: 'gone_at', from: 'webhook_endpoints where gone_at is not null' },
  upstream_drained: { at: 'at', from: 'upstream_drains' },
  price_waiting: { at: 'noticed_at', from: 'pending_prices' },
  request_waiting: {
    at: 'asked_at',
    from: `operator_requests where decision is null and asked_at > now() - interval '7 days'
      and asked_by in (select account_id from operators)`,
  },
}

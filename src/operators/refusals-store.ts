import { as, bool, columns, int, oneOf, text, time, type RowOf } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import { deleteOldest } from '../db/purge-store.ts'

export type RefusalWhy =
  | 'no_operator'
  | 'api_key'
  | 'foreign_host'
  | 'foreign_network'
  | 'role'
  | 'second_factor'
  | 'rule' // within an action: one's own account, the limit of a day

/** A signed-in caller was refused. */
export type Refusal = {
  accountId: string
  why: RefusalWhy
  /** The route, or the rule that was broken. */
  what: string
  address: string
  requestId: string
}

/** Refusals counted by account, hour and reason; the texts are of the last one. */
export type Refusals = Refusal & { hour: Date; count: number; firstAt: Date; lastAt: Date }

export async function addRefusals(tx: Tx, refusals: readonly Refusals[]): Promise<void> {
  await tx.query(
    `insert into operator_refusals as known
       (hour, account_id, why, count, first_at, last_at, what, address, request_id)
     select hour, "accountId", why, count, "firstAt", "lastAt", what, address, "requestId"
     from jsonb_to_recordset($1::text::jsonb) as r(hour timestamptz, "accountId" uuid, why text,
       count int, "firstAt" timestamptz, "lastAt" timestamptz, what text, address text,
       "requestId" text)
     order by 1, 2, 3
     on conflict (hour, account_id, why) do update set count = known.count + excluded.count,
       first_at = least(known.first_at, excluded.first_at),
       last_at = greatest(known.last_at, excluded.last_at),
       what = excluded.what, address = excluded.address, request_id = excluded.request_id`,
    [JSON.stringify(refusals)],
  )
}

const REFUSALS = columns({
  hour: time,
  accountId: as('r.account_id', text),
  why: oneOf<RefusalWhy>(),
  count: int,
  firstAt: time,
  lastAt: time,
  what: text,
  address: text,
  requestId: text,
  isOperator: as('o.account_id is not null', bool),
})
export type ListedRefusals = RowOf<typeof REFUSALS>

/** The latest first. */
export async function listRefusals(
  tx: Tx,
  page: { accountId: string | undefined; before: Date | undefined; limit: number },
): Promise<ListedRefusals[]> {
  const rows = await tx.read(
    `select ${REFUSALS.list} from operator_refusals r left join operators o on o.account_id = r.account_id
     where ($1::uuid is null or r.account_id = $1) and ($2::timestamptz is null or r.last_at < $2)
     order by r.last_at desc limit $3`,
    [page.accountId ?? null, page.before ?? null, page.limit],
  )
  return REFUSALS.all(rows)
}

export function purgeRefusals(tx: Tx, batch: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'operator_refusals',
    where: `last_at < now() - interval '90 days'`,
    order: 'last_at',
  })
}

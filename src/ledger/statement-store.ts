import { as, columns, int8, json, oneOf, optional, text, time, type RowOf } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import type { Entry } from './commands.ts'

export type EntryType = Entry['type']

const ENTRY = columns({
  id: text,
  type: oneOf<EntryType>(),
  amountMicro: int8,
  balanceAfterMicro: int8,
  description: text,
  reference: as(
    `case when reference_type is not null and reference_id is not null
      then json_build_object('type', reference_type, 'id', reference_id) end`,
    optional(json<{ type: string; id: string }>()),
  ),
  workspaceId: optional(text),
  createdAt: time,
})
export type StatementEntry = RowOf<typeof ENTRY>

/** Ordinals from `first` to `last`, both included; empty when `last` is before `first`. */
export type OrdinalRange = { first: bigint; last: bigint }

export async function readBalance(
  tx: Tx,
  accountId: string,
): Promise<{ balanceMicro: bigint; heldMicro: bigint }> {
  const [row] = await tx.read<{ balance_micro: bigint; held_micro: bigint }>(
    'select balance_micro, held_micro from ledger_accounts where account_id = $1',
    [accountId],
  )
  return { balanceMicro: row?.balance_micro ?? 0n, heldMicro: row?.held_micro ?? 0n }
}

/** All that was ever added, less what was taken back; and what calls have cost. `bought`: any of it. */
export type Totals = { addedMicro: bigint; usedMicro: bigint; bought: boolean }

/** Charges are many, and not read: what was added and is not there any more was used. */
export async function readTotals(tx: Tx, accountId: string): Promise<Totals> {
  const [row] = await tx.read<{ added: bigint; balance: bigint; bought: boolean }>(
    `select coalesce(sum(amount_micro), 0)::int8 as added,
       coalesce(bool_or(type = 'topup'), false) as bought,
       coalesce((select balance_micro from ledger_accounts where account_id = $1), 0) as balance
     from ledger_entries where account_id = $1 and type <> 'usage'`,
    [accountId],
  )
  const { added, balance, bought } = row!
  return { addedMicro: added, usedMicro: added - balance, bought }
}

/** Entries are numbered in the order of time, so that the ends of a period are found by halving. */
export async function rangeBetween(
  tx: Tx,
  within: { accountId: string; from: Date | undefined; to: Date | undefined },
): Promise<OrdinalRange> {
  const [row] = await tx.read<{ first: bigint; last: bigint }>(
    `select
       case when $2::timestamptz is null then 1 else 1 + (${entriesBefore('$2')}) end as first,
       case when $3::timestamptz is null
         then coalesce((select entries from ledger_accounts where account_id = $1), 0)
         else (${entriesBefore('$3')}) end as last`,
    [within.accountId, within.from ?? null, within.to ?? null],
  )
  return row!
}

/**
 * How many entries of the account `$1` were made before a time. Each step looks at the entry in the
 * middle of those that are left, so that no index by time is needed, which every charge would write.
 */
function entriesBefore(time: string): string {
  return `
    with recursive halved (least, most) as (
      select 0::int8, entries from ledger_accounts where account_id = $1
      union all
      select case when made_before then middle else least end,
             case when made_before then most else middle - 1 end
      from (
        select least, most, (least + most + 1) / 2 as middle from halved where least < most
      ) open
        cross join lateral (
          select created_at < ${time} as made_before from ledger_entries
          where account_id = $1 and ordinal = middle
        ) entry
    )
    select coalesce(min(most), 0) from halved`
}

export async function countCredits(
  tx: Tx,
  wanted: { accountId: string; type: EntryType | undefined; range: OrdinalRange },
): Promise<bigint> {
  const { accountId, type, range } = wanted
  const [row] = await tx.read<{ total: bigint }>(
    `select count(*) as total from ledger_entries
     where account_id = $1 and type <> 'usage' and ($2::text is null or type = $2)
       and ordinal between $3 and $4`,
    [accountId, type ?? null, range.first, range.last],
  )
  return row!.total
}

export type Page = { accountId: string; range: OrdinalRange; limit: number }

/** All types: an offset is a smaller `range.last`, so the last page costs what the first does. */
export async function readEntries(tx: Tx, page: Page): Promise<StatementEntry[]> {
  const rows = await tx.read(
    `select ${ENTRY.list} from ledger_entries
     where account_id = $1 and ordinal between $2 and $3 order by ordinal desc limit $4`,
    [page.accountId, page.range.first, page.range.last, page.limit],
  )
  return ENTRY.all(rows)
}

export async function readCharges(
  tx: Tx,
  page: Page & { offset: number },
): Promise<StatementEntry[]> {
  const rows = await tx.read(
    `select ${ENTRY.list} from ledger_entries
     where account_id = $1 and ordinal between $2 and $3 and type = 'usage'
     order by ordinal desc limit $4 offset $5`,
    [page.accountId, page.range.first, page.range.last, page.limit, page.offset],
  )
  return ENTRY.all(rows)
}

/** `type <> 'usage'` is repeated so that the small index of these is used. */
export async function readCredits(
  tx: Tx,
  page: Page & { offset: number; type: EntryType },
): Promise<StatementEntry[]> {
  const rows = await tx.read(
    `select ${ENTRY.list} from ledger_entries
     where account_id = $1 and type <> 'usage' and type = $2 and ordinal between $3 and $4
     order by ordinal desc limit $5 offset $6`,
    [page.accountId, page.type, page.range.first, page.range.last, page.limit, page.offset],
  )
  return ENTRY.all(rows)
}

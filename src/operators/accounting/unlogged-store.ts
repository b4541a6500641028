import type { Tx } from '../../db/db.ts'

/**
 * What operators have changed without an action in the log that says so, a sentence for each. A log
 * that was cut off and sealed again is whole by itself; what was done by then still stands.
 */
export async function findUnlogged(tx: Tx): Promise<string[]> {
  const rows = await tx.read<{ sentence: string }>(
    `select sentence from (${ENTRIES} union all ${OPERATORS} union all ${MARGINS}) found
     order by sentence limit 1000`,
  )
  return rows.map(({ sentence }) => sentence)
}

/** Each entry by the hand of an operator, and each action that names an entry. */
const ENTRIES = `select case
    when a.seq is null then format('Entry %s of account %s, by "%s", has no action in the log.',
      e.id, e.account_id, e.operator)
    when e.id is null then format('Action %s names an entry that does not exist.', a.seq)
    else format('Action %s and its entry %s differ.', a.seq, e.id) end as sentence
  from (select id, account_id, amount_micro, operator from ledger_entries
    where operator is not null) e
  full join (select seq, amount_micro, target_id, (after ->> 'entry_id')::uuid as entry_id
    from operator_actions where amount_micro is not null and after ? 'entry_id') a
    on a.entry_id = e.id
  where (e.amount_micro, e.account_id::text) is distinct from (a.amount_micro, a.target_id)`

/** Each operator, with the role that was given last. */
const OPERATORS = `select format('Account %s is an operator (%s), and no action in the log made it one.',
    o.account_id, o.role) as sentence
  from operators o
  where o.role is distinct from (select after ->> 'role' from operator_actions
    where target_type = 'account' and target_id = o.account_id::text
      and action in ('operator.add', 'operator.change', 'operator.remove')
    order by seq desc limit 1)`

/** Each margin in force, with the one that was set last. */
const MARGINS = `select format('The margin of the %s %s is %s, and no action in the log set it.',
    m.scope, m.name, m.margin) as sentence
  from margins m
  where m.margin is distinct from (select after ->> 'margin' from operator_actions
    where target_type = m.scope and target_id = m.name
      and action in (m.scope || '.margin', m.scope || '.margin_approve')
    order by seq desc limit 1)`

import type { Tx } from '../db/db.ts'

/**
 * The operators who may profit from what is done to an account: its own, and everybody who has
 * proven, or paid from, an address or number that the account has proven or paid from. Claims that
 * were never proven do not count, since anybody can make them; nor does a network with a kind of
 * browser, which half a town shares.
 */
export async function operatorsBehind(tx: Tx, accountId: string): Promise<string[]> {
  const rows = await tx.read<{ id: string }>(
    `with people as (select account_id from operators union select $1::uuid),
     proven as (
       -- What follows a plus sign leads to the same mailbox.
       select id as account_id, regexp_replace(email, '\\+[^@]*@', '@') as identifier
       from accounts where id in (select account_id from people) and email_verified_at is not null
       union select id, login_phone from accounts where id in (select account_id from people)
       union select id, phone_number from accounts
         where id in (select account_id from people) and phone_verified_at is not null
       union select account_id, phone_number from payments
         where account_id in (select account_id from people) and status = 'completed'
     )
     select o.account_id as id from operators o
     where o.account_id = $1 or exists (
       select from proven mine join proven theirs using (identifier)
       where mine.account_id = o.account_id and theirs.account_id = $1)
     order by o.added_at, o.account_id`,
    [accountId],
  )
  return rows.map(({ id }) => id)
}

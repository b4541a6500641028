-- What an account's readers left unpaid within a day, so that no number of keys or processes hides it.

-- One row for ten minutes of an account, however often its readers leave.
create table left_unpaid (
  account_id uuid not null,
  -- A stream that was read in part, or a whole answer that nobody waited for.
  kind text not null check (kind in ('stream', 'answer')),
  slot int8 not null,
  -- The last time within these ten minutes.
  at timestamptz not null,
  worth_micro int8 not null check (worth_micro > 0),
  primary key (account_id, kind, slot)
) with (fillfactor = 70);

create index left_unpaid_by_time on left_unpaid (at);

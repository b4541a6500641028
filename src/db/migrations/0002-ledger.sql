-- Money: one row of sums per account, entries that are only ever added, and open holds.

create table ledger_accounts (
  account_id uuid primary key,
  balance_micro int8 not null default 0,
  held_micro int8 not null default 0,
  -- What all open holds together may come to cost.
  limits_micro int8 not null default 0,
  -- The part of the balance that nobody has bought. Gifts are used first.
  gift_micro int8 not null default 0,
  entries int8 not null default 0,
  -- Counts the changes. Sums alone may come back to what they were while a hold has been released.
  version int8 not null default 0,
  constraint held_within_balance check (0 <= held_micro and held_micro <= balance_micro),
  constraint limits_cover_held check (held_micro <= limits_micro),
  constraint gift_not_negative check (gift_micro >= 0)
) with (fillfactor = 50);

-- Every index of this table is written with every charge, so there is none on `id`: nobody looks for
-- an entry by it. Whoever writes here has locked the account's row, so that no foreign key needs to
-- look it up again, which was a tenth of the database's work in a call. The audit checks it.
create table ledger_entries (
  -- Grows with every entry: within one account it is the order in which the balance moved.
  seq int8 generated always as identity,
  id uuid not null,
  account_id uuid not null,
  -- Each account's entries are numbered 1, 2, 3 …, so that a list knows its total without counting.
  ordinal int8 not null,
  type text not null
    check (type in ('signup_bonus', 'topup', 'usage', 'refund', 'adjustment')),
  amount_micro int8 not null check (amount_micro <> 0),
  balance_after_micro int8 not null check (balance_after_micro >= 0),
  key text not null unique,
  description text not null,
  reference_type text,
  reference_id text,
  workspace_id uuid,
  operator text,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (account_id, ordinal)
);
-- Top-ups, grants and corrections are few among the many charges, and have filters of their own.
create index ledger_entries_credits on ledger_entries (account_id, type, ordinal)
  where type <> 'usage';
create index ledger_entries_credits_by_time on ledger_entries (created_at) where type <> 'usage';
-- Entries are written in the order of time and never change: a few bytes for each megabyte of them,
-- where an entry for each row would be one more write of every charge.
create index ledger_entries_by_time on ledger_entries using brin (created_at);

create function ledger_entries_stay() returns trigger language plpgsql as $$
begin
  raise exception 'ledger entries are only ever added';
end $$;
create trigger ledger_entries_stay before update or delete or truncate on ledger_entries
  for each statement execute function ledger_entries_stay();

-- Closing a hold deletes its row, so whoever gets the row acts and everybody else does nothing. As for
-- entries, the account's row is locked by whoever writes one.
create table holds (
  id uuid primary key,
  account_id uuid not null,
  amount_micro int8 not null check (amount_micro >= 0),
  -- The most that its call may cost now, however little of it is held.
  limit_micro int8 not null,
  -- Nobody knows what its call may cost: an account has one such hold at a time.
  guessed boolean not null default false,
  owner_process uuid,
  owner_job text,
  deadline timestamptz,
  -- For the activity record of a call whose process died.
  about jsonb not null,
  created_at timestamptz not null default now(),
  constraint limit_covers_amount check (amount_micro <= limit_micro),
  constraint one_owner check (
    (owner_process is not null and owner_job is null and deadline is null)
    or (owner_process is null and owner_job is not null and deadline is not null)
  )
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index holds_by_process on holds (owner_process, created_at) where owner_process is not null;
create index holds_guessed on holds (account_id) where guessed;
create index holds_by_deadline on holds (deadline) where deadline is not null;

-- What an account could not pay is the operator's loss; it is never a debt of the account.
create table uncollected (
  key text primary key,
  account_id uuid not null references ledger_accounts (account_id),
  amount_micro int8 not null check (amount_micro > 0),
  description text not null,
  reference_type text,
  reference_id text,
  created_at timestamptz not null default now()
);
create index uncollected_newest on uncollected (account_id, created_at);
create index uncollected_by_time on uncollected (created_at);

-- What an account caused upstream and did not pay, by its worth, until it is a day old: so no number
-- of keys or processes hides it. One row for ten minutes and a kind of call, however many there were.
create table unpaid_work (
  account_id uuid not null,
  kind text not null,
  slot int8 not null,
  -- The last time within these ten minutes.
  at timestamptz not null,
  worth_micro int8 not null check (worth_micro > 0),
  primary key (account_id, kind, slot)
) with (fillfactor = 70);
create index unpaid_work_by_time on unpaid_work (at);

-- Days (UTC) on which accounts that never paid reached what all of them may leave unpaid.
create table unpaid_days (day date primary key);

create function gift_after(gift int8, type text, amount int8, balance_after int8)
returns int8 language plpgsql immutable parallel safe as $$
begin
  if type = 'usage' then return greatest(0, gift + amount); end if;
  if type = 'signup_bonus' or (type = 'adjustment' and amount > 0) then return gift + amount; end if;
  -- Whatever else is taken away was bought, as long as there is any of that.
  return least(gift, balance_after);
end $$;

-- For the audit: over the entries of one account, in their order.
create aggregate gift_of(type text, amount int8, balance_after int8) (
  sfunc = gift_after, stype = int8, initcond = '0', parallel = safe
);

-- A batch is written and committed in one statement, so what must be true after it is checked in it.
create function assert_postcondition(met boolean, postcondition text) returns void language plpgsql as $$
begin
  if met is not true then
    raise exception '%', postcondition;
  end if;
end $$;

-- What every charge writes is sent as lists of these types (src/db/binary-rows.ts). Processes of two
-- versions write at the same time while replicas are updated, so a type never changes: one that needs
-- other columns gets a new name.
create type account_change as (
  id uuid, balance_was int8, held_was int8, limits_was int8, entries_was int8, version_was int8,
  balance int8, held int8, limits int8, gift int8, entries_now int8
);

create type new_entry as (
  id uuid, account_id uuid, type text, amount int8, after int8, key text, description text,
  ref_type text, ref_id text, workspace uuid, operator text, ordinal int8
);

create type closed_hold as (id uuid, amount int8, max int8);

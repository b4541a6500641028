-- The books: one row of sums per account, entries that are only ever added, and open holds.
create table ledger_accounts (
  account_id uuid primary key,
  balance_micro int8 not null default 0,
  held_micro int8 not null default 0,
  constraint held_within_balance check (0 <= held_micro and held_micro <= balance_micro)
) with (fillfactor = 50);

create table ledger_entries (
  -- Grows with every entry: within one account it is the order in which the balance moved.
  seq int8 generated always as identity,
  id uuid primary key,
  account_id uuid not null references ledger_accounts (account_id),
  type text not null check (type in ('signup_bonus', 'topup', 'usage', 'refund', 'adjustment')),
  amount_micro int8 not null check (amount_micro <> 0),
  balance_after_micro int8 not null check (balance_after_micro >= 0),
  key text not null unique,
  description text not null,
  reference_type text,
  reference_id text,
  workspace_id uuid,
  operator text,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp())
);
create index ledger_entries_newest on ledger_entries (account_id, created_at, seq);

create function ledger_entries_stay() returns trigger language plpgsql as $$
begin
  raise exception 'ledger entries are only ever added';
end $$;
create trigger ledger_entries_stay before update or delete or truncate on ledger_entries
  for each statement execute function ledger_entries_stay();

-- Closing a hold deletes its row, so whoever gets the row acts and everybody else does nothing.
create table holds (
  id uuid primary key,
  account_id uuid not null references ledger_accounts (account_id),
  amount_micro int8 not null check (amount_micro >= 0),
  owner_process uuid,
  owner_job text,
  deadline timestamptz,
  about jsonb not null,
  created_at timestamptz not null default now(),
  constraint one_owner check (
    (owner_process is not null and owner_job is null and deadline is null)
    or (owner_process is null and owner_job is not null and deadline is not null)
  )
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index holds_by_process on holds (owner_process, created_at) where owner_process is not null;
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

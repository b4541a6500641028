-- Corrections of a balance that wait for a second operator, and what an operator searches by.
create table adjustment_requests (
  id uuid primary key,
  account_id uuid not null,
  amount_micro int8 not null check (amount_micro <> 0),
  reason text not null,
  -- Of the ledger entry to come.
  entry_key text not null unique,
  asked_by uuid not null,
  asked_by_name text not null,
  asked_at timestamptz not null default now(),
  decision text check (decision in ('approved', 'refused')),
  decided_at timestamptz
);
create index adjustment_requests_waiting on adjustment_requests (asked_at) where decision is null;

create index api_keys_prefix on api_keys (prefix);
create index payments_reference_of_provider on payments (provider_ref)
  where provider_ref is not null;
create index payments_completed on payments (completed_at) where completed_at is not null;
create index payments_late on payments (completed_at) where late;
create index outbox_account on outbox (account_id, created_at desc);

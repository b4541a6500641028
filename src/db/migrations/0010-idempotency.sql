-- Good answers are kept for a day, so that a retry with its Idempotency-Key is answered, not run again.
create table idempotency (
  account_id uuid not null,
  key text not null,
  -- The right to answer: whoever took the key over since bears another one.
  claim_id uuid not null,
  route text not null,
  process_id uuid not null,
  state text not null check (state in ('running', 'kept')),
  status int,
  headers jsonb,
  body bytea,
  claimed_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (account_id, key),
  check (state = 'running' or (status is not null and headers is not null and body is not null))
);
create index idempotency_expiry on idempotency (expires_at);

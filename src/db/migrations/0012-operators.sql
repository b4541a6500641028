-- Who may run the service, and the log of what they did, which is only ever added to.
create table operators (
  account_id uuid primary key references accounts (id) on delete cascade,
  role text not null check (role in ('viewer', 'support', 'owner')),
  added_at timestamptz not null default now()
);

create table operator_actions (
  -- 1, 2, 3 … without a gap, in the order of the commits.
  seq int8 primary key,
  at timestamptz not null,
  -- Null for a command.
  operator_id uuid,
  operator text not null,
  action text not null,
  target_type text not null,
  target_id text not null,
  reason text,
  before jsonb,
  after jsonb,
  -- What an adjustment moved: the limits of a day are sums of these.
  amount_micro int8,
  request_id text,
  -- Over all of the above and the hash of the row before: a row that is changed or gone shows.
  hash bytea not null
);
create index operator_actions_target on operator_actions (target_type, target_id, seq);
create index operator_actions_operator on operator_actions (operator_id, seq);

create function operator_actions_stay() returns trigger language plpgsql as $$
begin
  raise exception 'operator actions are only ever added';
end $$;
create trigger operator_actions_stay before update or delete or truncate on operator_actions
  for each statement execute function operator_actions_stay();

-- The end of the chain: it shows when the last rows are gone, and whoever adds a row locks it.
create table operator_log (
  only_row boolean primary key default true check (only_row),
  seq int8 not null,
  hash bytea not null
);
insert into operator_log (seq, hash) values (0, '');

-- Who was refused as an operator. Counted, not listed: whoever tries ten thousand times in an hour
-- makes one row.
create table operator_refusals (
  hour timestamptz not null,
  account_id uuid not null,
  why text not null,
  count int not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- Of the last one: the route, or the rule that was broken.
  what text not null,
  address text not null,
  request_id text not null,
  primary key (hour, account_id, why)
);
create index operator_refusals_age on operator_refusals (last_at);

-- Corrections of a balance that wait for a second operator.
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

-- Audits that operators ask for, run by whichever process is free.
create table audit_runs (
  id uuid primary key,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
  asked_by text not null,
  step int not null default 0,
  steps int not null default 0,
  accounts int8,
  entries int8,
  holds int8,
  -- The first of them, in words; the count is of all.
  findings text[] not null default '{}',
  finding_count int not null default 0,
  -- The last link of the operators' log.
  log_end text,
  error text,
  attempts int not null default 0,
  -- The process that runs it has it until then: after a crash another takes it up.
  lease_id uuid,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz
);
-- One at a time.
create unique index audit_runs_open on audit_runs ((true)) where state in ('waiting', 'running');
create index audit_runs_ended on audit_runs (ended_at) where ended_at is not null;

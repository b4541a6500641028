-- Audits that operators ask for, run by whichever process is free; and entries by time, for exports of a month.
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

-- Entries are written in the order of time and never change: a few bytes for each megabyte of them,
-- where an entry for each row would be one more write of every charge.
create index ledger_entries_by_time on ledger_entries using brin (created_at);

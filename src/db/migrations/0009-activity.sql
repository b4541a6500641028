-- What happened: one row per billable operation or stage, and the sums that keep reads quick as it grows.

-- PostgreSQL reads the text of every check of a table again for each statement that writes to it. So
-- the checks are in the one place that writes records (`checkRecord` in src/activity/activity-store.ts),
-- but for the cost.
create table activity_records (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid,
  key_id uuid,
  request_id text not null,
  kind text not null,
  model text not null,
  -- `completed`, `failed` or `cancelled`.
  status text not null,
  error_code text,
  prompt_tokens int8,
  completion_tokens int8,
  total_tokens int8,
  cost_micro int8 not null check (cost_micro >= 0),
  uncollected_micro int8 not null default 0,
  -- The part of the charge that was paid with credits that nobody had bought.
  gift_micro int8 not null default 0,
  -- What work was worth that nobody paid for.
  waived_micro int8 not null default 0,
  -- None of the next five is shown to customers.
  upstream text,
  attempts int8,
  first_byte_ms int8,
  -- Nano-dollars. Null: nobody knows, or nothing was asked for.
  upstream_cost_nusd int8,
  -- `reported` by the upstream, by the `list` of the catalog for what was counted, or `estimated`.
  cost_basis text,
  estimated boolean not null default false,
  price_snapshot_id uuid,
  latency_ms int8 not null,
  -- Milliseconds, as it is shown: a page's last record must compare equal to itself.
  created_at timestamptz(3) not null,
  -- Its record group; made by the service of the same members as in `record_groups`.
  group_id uuid not null
);
create index activity_records_by_account
  on activity_records (account_id, created_at desc, id desc) include (group_id);
create index activity_records_by_group on activity_records (group_id, created_at desc, id desc);

-- How many records there are of one account with the same workspace, model and status. Every filter
-- of the list is a union of such groups, so one index serves them all, and the totals are exact.
create table record_groups (
  group_id uuid primary key generated always as (
    md5(account_id::text || '/' || coalesce(workspace_id::text, '') || '/' || status || '/' || model)::uuid
  ) stored,
  account_id uuid not null,
  workspace_id uuid,
  model text not null,
  status text not null,
  records int8 not null check (records >= 0)
) with (fillfactor = 70);
create index record_groups_by_account on record_groups (account_id);

-- Sums by local day and by local month. They outlive the records.
create table activity_rollups (
  account_id uuid not null,
  grain text not null check (grain in ('day', 'month')),
  starts_on date not null,
  model text not null,
  requests int8 not null,
  tokens int8 not null,
  cost_micro int8 not null,
  primary key (account_id, grain, starts_on, model)
) with (fillfactor = 70);
create index activity_rollups_by_day on activity_rollups (starts_on) where grain = 'day';

-- Sums over all customers. They outlive the records.
create table cost_sums (
  day date not null,
  -- Empty: no upstream was asked.
  upstream text not null,
  model text not null,
  kind text not null,
  requests int8 not null,
  failed int8 not null,
  cost_micro int8 not null,
  gift_micro int8 not null,
  uncollected_micro int8 not null,
  waived_micro int8 not null,
  reported_nusd int8 not null,
  listed_nusd int8 not null,
  estimated_nusd int8 not null,
  primary key (day, upstream, model, kind)
) with (fillfactor = 70);

-- What each record adds to record_groups, activity_rollups and cost_sums, so that a charge writes one
-- row instead of four upserts. A row is written with its record, and moved into the sums by deleting
-- it: each record counts once, whenever it was committed. Readers add up both. There is no index and
-- no check: a row lives for seconds, and the record has been checked already.
create table pending_rollups (
  record_id uuid not null,
  account_id uuid not null,
  workspace_id uuid,
  model text not null,
  status text not null,
  group_id uuid not null,
  kind text not null,
  -- Empty: no upstream was asked.
  upstream text not null,
  -- The local one of the record.
  day date not null,
  tokens int8 not null,
  cost_micro int8 not null,
  gift_micro int8 not null,
  uncollected_micro int8 not null,
  waived_micro int8 not null,
  upstream_cost_nusd int8,
  cost_basis text
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- A deleted workspace's records count as the default's. Read through, so that deleting a workspace
-- costs one row however many records it has, and a call that was still running lands right too.
create table activity_workspace_moves (
  account_id uuid not null,
  from_workspace_id uuid not null,
  to_workspace_id uuid not null,
  moved_at timestamptz not null default now(),
  primary key (account_id, from_workspace_id),
  constraint moves_elsewhere check (to_workspace_id <> from_workspace_id)
);
create index activity_workspace_moves_age on activity_workspace_moves (moved_at);

-- As the types of the ledger: what every charge writes is sent as a list of it.
create type new_record as (
  id uuid, account_id uuid, workspace_id uuid, key_id uuid, request_id text, kind text, model text,
  status text, error_code text, prompt_tokens int8, completion_tokens int8, total_tokens int8,
  cost_micro int8, uncollected_micro int8, gift_micro int8, waived_micro int8, upstream text,
  attempts int8, first_byte_ms int8, upstream_cost_nusd int8, cost_basis text, estimated bool,
  price_snapshot_id uuid, latency_ms int8, created_at timestamptz, group_id uuid
);

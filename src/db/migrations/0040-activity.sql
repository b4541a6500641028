-- What happened: one row per billable operation or stage, and the counters that keep reads flat.

-- A lane is the set of one account's records that share workspace, model and status. Every filter of
-- the list is a union of lanes, so one index serves them all, and their counters give exact totals.
create table activity_records (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid,
  key_id uuid,
  request_id text not null,
  kind text not null,
  model text not null,
  status text not null check (status in ('completed', 'failed', 'cancelled')),
  error_code text,
  prompt_tokens int8 check (prompt_tokens >= 0),
  completion_tokens int8 check (completion_tokens >= 0),
  total_tokens int8 check (total_tokens >= 0),
  cost_micro int8 not null check (cost_micro >= 0),
  uncollected_micro int8 not null default 0 check (uncollected_micro >= 0),
  estimated boolean not null default false,
  price_snapshot_id uuid,
  latency_ms int8 not null check (latency_ms >= 0),
  -- Milliseconds, as it is shown: a page's last record must compare equal to itself.
  created_at timestamptz(3) not null,
  lane_id uuid not null generated always as (
    md5(account_id::text || '/' || coalesce(workspace_id::text, '') || '/' || status || '/' || model)::uuid
  ) stored
);

create index activity_records_by_account
  on activity_records (account_id, created_at desc, id desc) include (lane_id);
create index activity_records_by_lane on activity_records (lane_id, created_at desc, id desc);

-- How many records each lane keeps; retention takes away what it trims.
create table activity_lanes (
  lane_id uuid primary key generated always as (
    md5(account_id::text || '/' || coalesce(workspace_id::text, '') || '/' || status || '/' || model)::uuid
  ) stored,
  account_id uuid not null,
  workspace_id uuid,
  model text not null,
  status text not null,
  records int8 not null check (records >= 0)
) with (fillfactor = 70);

create index activity_lanes_by_account on activity_lanes (account_id);

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

-- A deleted workspace's records count as the default's. Read through, so that deleting a workspace
-- costs one row however many records it has, and a call that was still running lands right too.
create table activity_workspace_moves (
  account_id uuid not null,
  from_workspace_id uuid not null,
  to_workspace_id uuid not null check (to_workspace_id <> from_workspace_id),
  moved_at timestamptz not null default now(),
  primary key (account_id, from_workspace_id)
);

-- Video jobs. The row is the work itself, claimed with a lease: there is no queue beside it.
create table video_jobs (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid,
  key_id uuid,
  request_id text not null,
  model text not null,
  status text not null default 'pending'
    check (status in ('pending', 'processing', 'completed', 'failed', 'cancelled', 'expired')),
  -- The price of the moment of acceptance: a later change of the catalog does not touch the job.
  price_snapshot_id uuid,
  price_micro int8 not null check (price_micro >= 0),
  credits_per_usd text not null,
  margin text not null,
  -- What to ask and whom; what was asked is forgotten once an upstream has it, or the job ends.
  targets jsonb not null,
  request text,
  hold_id uuid,
  hold_until timestamptz,
  -- Whom we asked. Committed before the asking: after a crash the same one is asked again.
  upstream text,
  upstream_model text,
  upstream_job_id text,
  submits int not null default 0,
  polls int not null default 0,
  -- A new one with every claim: who lost the lease can change nothing any more.
  lease uuid,
  lease_until timestamptz,
  next_look_at timestamptz,
  deadline timestamptz not null,
  cost_micro int8 check (cost_micro >= 0),
  error_code text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  check ((status in ('pending', 'processing')) = (next_look_at is not null)),
  check ((status = 'pending') = (request is not null)),
  check ((status = 'completed') = (cost_micro is not null)),
  check ((status in ('failed', 'cancelled', 'expired')) = (error_code is not null)),
  check (status not in ('processing', 'completed') or upstream_job_id is not null)
) with (fillfactor = 70);

create index video_jobs_due on video_jobs (next_look_at) where next_look_at is not null;
create index video_jobs_account on video_jobs (account_id, id desc);

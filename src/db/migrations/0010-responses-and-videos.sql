-- Paid work that outlives its request: responses that later ones refer to, and video jobs.

-- Until they expire or are deleted.
create table stored_responses (
  account_id uuid not null,
  id text not null,
  -- The one that it continues, which may be gone by now.
  previous_id text,
  -- The items that were sent with it, as JSON. Null: too long to be stored, only the answer is.
  input bytea,
  -- As JSON. Bytes, since texts of models may contain what a text column refuses.
  response bytea not null,
  bytes int not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (account_id, id)
);
create index stored_responses_expiry on stored_responses (expires_at);
-- What an account stores in all is summed up from this index alone.
create index stored_responses_size on stored_responses (account_id, created_at) include (bytes);

-- The row is the work itself, claimed with a lease: there is no queue beside it.
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
  constraint open_is_looked_at
    check ((status in ('pending', 'processing')) = (next_look_at is not null)),
  constraint pending_has_its_request check ((status = 'pending') = (request is not null)),
  constraint completed_has_its_cost check ((status = 'completed') = (cost_micro is not null)),
  constraint failed_has_its_reason
    check ((status in ('failed', 'cancelled', 'expired')) = (error_code is not null)),
  constraint accepted_has_its_id
    check (status not in ('processing', 'completed') or upstream_job_id is not null)
) with (fillfactor = 70);
-- Jobs that nobody has been asked about yet come first: a crowd of polls must not hold them up.
create index video_jobs_due on video_jobs (status, next_look_at) where next_look_at is not null;
create index video_jobs_account on video_jobs (account_id, id desc);
create index video_jobs_ended on video_jobs (updated_at) where next_look_at is null;

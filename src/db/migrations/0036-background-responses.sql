-- Responses that run in the background: each outlives the request that asked for it, and its process.

create table background_responses (
  id text primary key,
  account_id uuid not null,
  workspace_id uuid,
  key_id uuid,
  request_id text not null,
  model text not null,
  -- Of its hold and of its record: it can be charged once.
  bill_id uuid not null unique,
  -- What it is expected to cost, for what is lost with a process.
  worth_micro int8 not null check (worth_micro >= 0),
  -- What was sent, as JSON, until it has ended.
  request bytea,
  -- As it was accepted, or as it ended; of one that was answered, the answer is in stored_responses.
  response bytea not null,
  -- Its events are kept, for readers who come and go.
  streams bool not null,
  status text not null default 'queued'
    check (status in ('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled')),
  -- Nobody waits for it any more, or wants to see it.
  is_left bool not null default false,
  is_deleted bool not null default false,
  -- How often it was begun.
  tries int not null default 0,
  -- A new one with every claim.
  lease uuid,
  lease_until timestamptz,
  deadline timestamptz not null,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  expires_at timestamptz not null,
  constraint ended_has_no_request check ((ended_at is null) = (request is not null)),
  constraint ended_is_told check ((ended_at is null) = (status in ('queued', 'in_progress')))
) with (fillfactor = 70);
create index background_responses_open on background_responses (created_at) where ended_at is null;
create index background_responses_account on background_responses (account_id) where ended_at is null;
create index background_responses_expiry on background_responses (expires_at)
  where ended_at is not null;

-- What was sent or is to be sent to readers, in pieces of whole events.
create table response_events (
  response_id text not null references background_responses (id) on delete cascade,
  -- The number of its first event, and how many there are.
  first int8 not null,
  count int not null check (count > 0),
  -- Server-sent events. Bytes, since texts of models may contain what a text column refuses.
  events bytea not null,
  written_at timestamptz not null default now(),
  primary key (response_id, first)
);
create index response_events_age on response_events (written_at);

-- Webhooks for the operator's own systems: where they go, and what is to be delivered.
create table webhook_endpoints (
  id uuid primary key,
  url text not null,
  description text not null,
  events text[] not null,
  enabled boolean not null default true,
  -- Sealed. The one before also signs until its time is over, so that receivers can change in peace.
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz,
  created_at timestamptz not null default now()
);

-- The row is the job, as in the outbox. No foreign key: a payment must not wait for an operator who
-- deletes an endpoint. What is left of one expires.
create table webhook_deliveries (
  endpoint_id uuid not null,
  event_id uuid not null,
  type text not null,
  body text not null,
  state text not null default 'waiting' check (state in ('waiting', 'delivered', 'dead')),
  attempts int not null default 0,
  next_try_at timestamptz not null default now(),
  lease_id uuid,
  last_status int,
  last_error text,
  last_try_at timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (endpoint_id, event_id)
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_try_at)
  where state = 'waiting';
create index webhook_deliveries_finished on webhook_deliveries (finished_at)
  where finished_at is not null;

-- How the upstreams were, minute by minute; which of them begin nothing more; and who was refused as an operator.
create table upstream_minutes (
  upstream text not null,
  at timestamptz not null,
  -- Attempts, and those of them that failed because of the upstream.
  calls int not null default 0,
  errors int not null default 0,
  -- Attempts that succeeded, by how long they took: the steps are in lib/latency.ts.
  latencies int[] not null,
  -- How many processes saw it in trouble.
  troubled int not null default 0,
  primary key (upstream, at)
);
create index upstream_minutes_age on upstream_minutes (at);
create index upstream_minutes_troubled on upstream_minutes (upstream, at) where troubled > 0;

create table upstream_drains (
  upstream text primary key,
  reason text,
  operator text not null,
  at timestamptz not null default now()
);

-- Counted, not listed: whoever tries ten thousand times in an hour makes one row.
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

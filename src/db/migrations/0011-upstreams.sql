-- How the gateway and its upstreams were, minute by minute, and which upstreams begin nothing more.

-- Counted once a minute by each process: steps of five minutes, and days.
create table health_samples (
  grain text not null check (grain in ('step', 'day')),
  at timestamptz not null,
  -- Every upstream was healthy, some were, none was.
  up int not null default 0,
  degraded int not null default 0,
  down int not null default 0,
  primary key (grain, at)
);
create index health_samples_age on health_samples (at);

create table upstream_minutes (
  upstream text not null,
  at timestamptz not null,
  -- Attempts, and those of them that failed because of the upstream.
  calls int not null default 0,
  errors int not null default 0,
  -- Attempts that succeeded, by how long they took: the steps are in lib/telemetry/latency.ts.
  latencies int[] not null,
  -- How many processes saw it in trouble.
  troubled int not null default 0,
  primary key (upstream, at)
);
create index upstream_minutes_age on upstream_minutes (at);
create index upstream_minutes_troubled on upstream_minutes (upstream, at) where troubled > 0;

-- An outage is told once, however many processes see it.
create table upstream_outages (
  upstream text primary key,
  why text not null,
  since timestamptz not null,
  seen_at timestamptz not null default now()
);

create table upstream_drains (
  upstream text primary key,
  reason text,
  operator text not null,
  at timestamptz not null default now()
);

-- How the gateway was, counted once a minute by each process: steps of five minutes, and days.
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

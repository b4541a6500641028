-- A hold belongs to a living process: each one signs here every few seconds, by the database's clock.

-- No index on `beat_at`: a beat then changes no index and the row is rewritten in place. There are few.
create table processes (
  id uuid primary key,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
);

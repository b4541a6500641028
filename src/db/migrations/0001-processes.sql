-- A hold belongs to a living process: each one signs here every few seconds, by the database's clock.
create table processes (
  id uuid primary key,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
);
create index processes_beat on processes (beat_at);

-- A sync that could not read every upstream is tried again soon; a changed file of upstreams counts at once.
alter table catalog_sync
  add column retry_at timestamptz,
  add column settings_hash text;

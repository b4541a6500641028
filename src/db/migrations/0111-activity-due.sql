-- What each call adds to counters and sums, so that a charge writes one row instead of four upserts.

-- A row is written with its record, and moved into activity_lanes, activity_rollups and cost_sums by
-- deleting it: so each record counts once, whenever it was committed. Readers add up both. There is
-- no index and no check: a row lives for seconds, and the record has been checked already.
create table activity_due (
  record_id uuid not null,
  account_id uuid not null,
  workspace_id uuid,
  model text not null,
  status text not null,
  lane_id uuid not null,
  kind text not null,
  -- Empty: no upstream was asked.
  upstream text not null,
  -- The local one of the record.
  day date not null,
  tokens int8 not null,
  cost_micro int8 not null,
  gift_micro int8 not null,
  uncollected_micro int8 not null,
  waived_micro int8 not null,
  upstream_cost_nusd int8,
  cost_basis text
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

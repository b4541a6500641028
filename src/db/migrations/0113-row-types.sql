-- What every call writes is sent as lists of these types (src/db/binary-rows.ts). Processes of two
-- versions write at the same time while replicas are updated, so a type never changes: one that needs
-- other columns gets a new name.
create type account_change as (
  id uuid, balance_was int8, held_was int8, limits_was int8, entries_was int8, version_was int8,
  balance int8, held int8, limits int8, gift int8, entries_now int8
);

create type new_entry as (
  id uuid, account_id uuid, type text, amount int8, after int8, key text, description text,
  ref_type text, ref_id text, workspace uuid, operator text, ordinal int8
);

create type closed_hold as (id uuid, amount int8, max int8);

create type new_record as (
  id uuid, account_id uuid, workspace_id uuid, key_id uuid, request_id text, kind text, model text,
  status text, error_code text, prompt_tokens int8, completion_tokens int8, total_tokens int8,
  cost_micro int8, uncollected_micro int8, gift_micro int8, waived_micro int8, upstream text,
  attempts int8, first_byte_ms int8, upstream_cost_nusd int8, cost_basis text, estimated bool,
  price_snapshot_id uuid, latency_ms int8, created_at timestamptz
);

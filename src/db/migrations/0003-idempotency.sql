-- Good answers are stored for a day, so that a retry with its Idempotency-Key is answered, not run again.
create table idempotency_keys (
  account_id uuid not null,
  key text not null,
  -- The right to answer: whoever took the key over since bears another one.
  claim_id uuid not null,
  route text not null,
  process_id uuid not null,
  state text not null check (state in ('running', 'stored')),
  status int,
  headers jsonb,
  -- The whole answer; or, where it is stored in pieces, the middle of it. The answer is then: the first
  -- `pieces_head` of the `pieces_bytes`, `body`, their last `pieces_tail`. What the call cost stands in
  -- the answer and is known only in the commit: that part is in `body`.
  body bytea,
  pieces_bytes int8,
  pieces_head int8,
  pieces_tail int8,
  claimed_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (account_id, key),
  constraint stored_answer_is_whole check (
    state = 'running' or (status is not null and headers is not null and body is not null)
  ),
  constraint pieces_go_together check (
    num_nulls(pieces_bytes, pieces_head, pieces_tail) in (0, 3)
  )
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);

-- A key pays once: a large answer is stored in pieces, written before the commit that charges for it.
create table stored_answer_pieces (
  claim_id uuid not null,
  no int4 not null,
  bytes bytea not null,
  written_at timestamptz not null default now(),
  primary key (claim_id, no)
);
-- They are mostly base64, which hardly shrinks.
alter table stored_answer_pieces alter column bytes set storage external;
create index stored_answer_pieces_age on stored_answer_pieces (written_at);

-- Stored answers have a budget: how many bytes an account had stored in each hour, to be added up at a claim.
create table stored_answer_sizes (
  account_id uuid not null,
  hour timestamptz not null,
  bytes int8 not null,
  primary key (account_id, hour)
) with (fillfactor = 50);
create index stored_answer_sizes_age on stored_answer_sizes (hour);

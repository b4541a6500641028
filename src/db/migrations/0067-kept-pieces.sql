-- A key pays once: a large answer is kept in pieces, written before the commit that charges for it.
create table kept_pieces (
  claim_id uuid not null,
  no int4 not null,
  bytes bytea not null,
  written_at timestamptz not null default now(),
  primary key (claim_id, no)
);
-- They are mostly base64, which hardly shrinks.
alter table kept_pieces alter column bytes set storage external;
create index kept_pieces_age on kept_pieces (written_at);

-- The answer is then: the first `pieces_head` of the `pieces_bytes`, `body`, their last `pieces_tail`.
-- What it cost stands in it, and is known only in the commit: that part is in `body`.
-- A state of its own: a replica of the release before must not take `body` for the whole answer.
alter table idempotency
  drop constraint idempotency_state_check,
  add constraint idempotency_state_check check (state in ('running', 'kept', 'in_pieces')),
  add column pieces_bytes int8,
  add column pieces_head int8,
  add column pieces_tail int8;

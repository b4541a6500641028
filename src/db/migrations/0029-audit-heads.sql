-- The last link of the operators' log goes out each hour: what went out last, so that one process sends it.
alter table operator_log
  add column told_seq int8 not null default 0,
  add column told_at timestamptz not null default '-infinity';

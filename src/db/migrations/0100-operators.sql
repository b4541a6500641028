-- Who may run the service, and the log of what they did, which is only ever added to.
create table operators (
  account_id uuid primary key references accounts (id) on delete cascade,
  role text not null check (role in ('viewer', 'support', 'owner')),
  added_at timestamptz not null default now()
);

create table operator_actions (
  -- 1, 2, 3 … without a gap, in the order of the commits.
  seq int8 primary key,
  at timestamptz not null,
  -- Null for a command.
  operator_id uuid,
  operator text not null,
  action text not null,
  target_type text not null,
  target_id text not null,
  reason text,
  before jsonb,
  after jsonb,
  -- What an adjustment moved: the limits of a day are sums of these.
  amount_micro int8,
  request_id text,
  -- Over all of the above and the hash of the row before: a row that is changed or gone shows.
  hash bytea not null
);
create index operator_actions_target on operator_actions (target_type, target_id, seq);
create index operator_actions_operator on operator_actions (operator_id, seq);

create function operator_actions_stay() returns trigger language plpgsql as $$
begin
  raise exception 'operator actions are only ever added';
end $$;
create trigger operator_actions_stay before update or delete or truncate on operator_actions
  for each statement execute function operator_actions_stay();

-- The end of the chain: it shows when the last rows are gone, and whoever adds a row locks it.
create table operator_log (
  only_row boolean primary key default true check (only_row),
  seq int8 not null,
  hash bytea not null
);
insert into operator_log (seq, hash) values (0, '');

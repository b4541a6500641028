-- Whatever a second owner has to confirm waits in one place, not only corrections of a balance.
create table operator_requests (
  id uuid primary key,
  action text not null,
  target_type text not null,
  target_id text not null,
  -- What else was asked for, as the action reads it.
  wish jsonb not null,
  reason text,
  -- The same key again is the same request.
  key text not null unique,
  asked_by uuid not null,
  asked_by_name text not null,
  asked_at timestamptz not null default now(),
  decision text check (decision in ('approved', 'refused')),
  decided_at timestamptz
);
create index operator_requests_waiting on operator_requests (asked_at) where decision is null;

insert into operator_requests (id, action, target_type, target_id, wish, reason, key, asked_by,
  asked_by_name, asked_at, decision, decided_at)
select id, 'account.adjust', 'account', account_id::text,
  jsonb_build_object('amount_credits', (amount_micro / 1000000::numeric)::numeric(20, 6)::text),
  reason, entry_key, asked_by, asked_by_name, asked_at, decision, decided_at
from adjustment_requests;
drop table adjustment_requests;

-- The limits of a day are sums of what was moved by hand, among years of other actions.
create index operator_actions_moved on operator_actions (at) where amount_micro is not null;

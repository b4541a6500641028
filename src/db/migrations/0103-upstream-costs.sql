-- What each call cost us and which part of it was paid with gifts, so that the margin is true.

-- Every sum below is of these columns. Nothing of them is shown to customers.
alter table activity_records
  add column upstream text,
  add column attempts int8 check (attempts >= 0),
  add column first_byte_ms int8 check (first_byte_ms >= 0),
  -- Nano-dollars. Null: nobody knows, or nothing was asked for.
  add column upstream_cost_nusd int8 check (upstream_cost_nusd >= 0),
  -- As the upstream said, as the catalog says for what was counted, or for what we had to estimate.
  add column cost_basis text check (cost_basis in ('reported', 'list', 'estimated')),
  -- What work was worth that nobody paid for.
  add column waived_micro int8 not null default 0 check (waived_micro >= 0),
  -- The part of the charge that was paid with credits that nobody had bought.
  add column gift_micro int8 not null default 0 check (gift_micro >= 0);

-- Sums over all customers. They outlive the records.
create table cost_sums (
  day date not null,
  -- Empty: no upstream was asked, or it was not recorded then.
  upstream text not null,
  model text not null,
  kind text not null,
  requests int8 not null,
  failed int8 not null,
  cost_micro int8 not null,
  gift_micro int8 not null,
  uncollected_micro int8 not null,
  waived_micro int8 not null,
  reported_nusd int8 not null,
  listed_nusd int8 not null,
  estimated_nusd int8 not null,
  primary key (day, upstream, model, kind)
) with (fillfactor = 70);

-- What the settlements of the last seconds add. A row is written with the records that it is the sum
-- of, and moved to the sums by deleting it: so each record counts once, whenever it was committed.
create table cost_sums_due (like cost_sums including defaults)
  with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Until now only the charges were summed.
insert into cost_sums
select starts_on, '', model, '', sum(requests), 0, sum(cost_micro), 0, 0, 0, 0, 0, 0
from activity_rollups where grain = 'day' group by starts_on, model;

-- How much of an account is gifts: they are used first. It is known as of so many entries; whoever
-- finds that there are more of them works it out again.
alter table ledger_accounts
  add column gift_micro int8 not null default 0,
  add column gift_entries int8 not null default 0,
  add constraint gift_not_negative check (gift_micro >= 0);

create function gift_after(gift int8, type text, amount int8, balance_after int8)
returns int8 language plpgsql immutable parallel safe as $$
begin
  if type = 'usage' then return greatest(0, gift + amount); end if;
  if type = 'signup_bonus' or (type = 'adjustment' and amount > 0) then return gift + amount; end if;
  -- Whatever else is taken away was bought, as long as there is any of that.
  return least(gift, balance_after);
end $$;

-- Over the entries of one account, in their order.
create aggregate gift_of(type text, amount int8, balance_after int8) (
  sfunc = gift_after, stype = int8, initcond = '0', parallel = safe
);

update ledger_accounts set gift_micro = gift, gift_entries = entries
from (
  select account_id, gift_of(type, amount_micro, balance_after_micro order by ordinal) as gift
  from ledger_entries group by account_id
) as known
where known.account_id = ledger_accounts.account_id;

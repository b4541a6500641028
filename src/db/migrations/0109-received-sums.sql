-- All that was ever paid in, beside what we owe: kept as payments complete, not added up by each reader.
create table received_sums (
  provider text primary key,
  payments int8 not null check (payments >= 0),
  amount_tzs int8 not null check (amount_tzs >= 0),
  credits_micro int8 not null check (credits_micro >= 0)
);

create function payment_adds_to_received() returns trigger language plpgsql as $$
begin
  if new.status = 'completed' and (tg_op = 'INSERT' or old.status <> 'completed') then
    insert into received_sums as sums (provider, payments, amount_tzs, credits_micro)
    values (new.provider, 1, new.amount_tzs, new.credits_micro)
    on conflict (provider) do update set
      payments = sums.payments + 1,
      amount_tzs = sums.amount_tzs + excluded.amount_tzs,
      credits_micro = sums.credits_micro + excluded.credits_micro;
  end if;
  return null;
end $$;
-- Deferred to the commit: payments that complete together wait for each other no longer than that.
-- A trigger, since a process of the version before completes payments too while replicas are updated.
create constraint trigger payments_add_to_received after insert or update of status on payments
  deferrable initially deferred for each row execute function payment_adds_to_received();

insert into received_sums
select provider, count(*), sum(amount_tzs), sum(credits_micro)
from payments where status = 'completed' group by provider;

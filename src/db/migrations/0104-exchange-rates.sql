-- What a dollar costs in shillings, by day, and what a payment cost us: the rest of the margin.
create table fx_rates (
  -- It holds from this day until the next one that has a rate.
  day date primary key,
  tzs_per_usd text not null,
  set_at timestamptz not null default now()
);

-- What the provider kept of the payment; null where it did not say.
alter table payments add column fee_tzs int8 check (fee_tzs >= 0);

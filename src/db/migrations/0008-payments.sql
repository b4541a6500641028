-- Mobile-money top-ups. The row is also the job that asks the provider what became of the money.
create table payments (
  id uuid primary key,
  account_id uuid not null,
  provider text not null,
  -- Ours, committed before the provider first hears of the payment: a lost answer is found by it.
  reference text not null unique,
  provider_ref text,
  status text not null default 'pending'
    check (status in ('pending', 'completed', 'failed', 'expired')),
  amount_tzs int8 not null check (amount_tzs > 0),
  currency text not null default 'TZS',
  -- Fixed at creation: a later change of the rate does not touch a payment under way.
  credits_micro int8 not null check (credits_micro > 0),
  -- What the provider took of the payment; null where it did not say.
  fee_tzs int8 check (fee_tzs >= 0),
  phone_number text not null,
  payer_name text not null,
  payer_email text,
  network text,
  error_code text,
  late boolean not null default false,
  -- Since when the provider is known to have the payment.
  accepted_at timestamptz,
  checks int not null default 0,
  next_check_at timestamptz,
  checking_until timestamptz,
  -- When word of it last made us ask although it was completed: a flood of callbacks asks rarely.
  asked_again_at timestamptz,
  -- Why a person should look at it: amount_mismatch, currency_mismatch, reference_mismatch, reversed,
  -- unconfirmed. The provider's answer that says so, when it came, and who has looked at it.
  review text,
  review_said text,
  review_at timestamptz,
  reviewed_at timestamptz,
  reviewed_by text,
  review_note text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz not null,
  completed_at timestamptz,
  constraint completed_has_its_time check ((status = 'completed') = (completed_at is not null))
);
create unique index payments_provider_ref on payments (provider, provider_ref)
  where provider_ref is not null;
create index payments_reference_of_provider on payments (provider_ref)
  where provider_ref is not null;
-- Ids are UUID v7 and sort by time: these serve the lists, newest first, and their counts.
create index payments_account on payments (account_id, id desc);
create index payments_account_status on payments (account_id, status, id desc);
create index payments_status on payments (status, id desc);
create index payments_due on payments (next_check_at) where next_check_at is not null;
create index payments_completed on payments (completed_at) where completed_at is not null;
create index payments_late on payments (completed_at) where late;
create index payments_to_review on payments (review_at)
  where review is not null and reviewed_at is null;

-- All that was ever paid in, beside what we owe: kept as payments complete, not added up by each reader.
create table received_sums (
  provider text primary key,
  payments int8 not null check (payments >= 0),
  amount_tzs int8 not null check (amount_tzs >= 0),
  credits_micro int8 not null check (credits_micro >= 0)
);

-- What a dollar costs in shillings, by day.
create table fx_rates (
  -- It holds from this day until the next one that has a rate.
  day date primary key,
  tzs_per_usd text not null,
  set_at timestamptz not null default now()
);

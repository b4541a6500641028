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
  phone_number text not null,
  payer_name text not null,
  payer_email text,
  network text,
  error_code text,
  -- Why a person should look at it: amount_mismatch, currency_mismatch, reference_mismatch, reversed.
  review text,
  late boolean not null default false,
  -- Since when the provider is known to have the payment.
  accepted_at timestamptz,
  checks int not null default 0,
  next_check_at timestamptz,
  checking_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  expires_at timestamptz not null,
  completed_at timestamptz,
  check ((status = 'completed') = (completed_at is not null))
);

create unique index payments_provider_ref on payments (provider, provider_ref)
  where provider_ref is not null;
-- Ids are UUID v7 and sort by time: these serve the lists, newest first, and their counts.
create index payments_account on payments (account_id, id desc);
create index payments_account_status on payments (account_id, status, id desc);
create index payments_status on payments (status, id desc);
create index payments_due on payments (next_check_at) where next_check_at is not null;

-- What people are told: in-app notifications, how they want to hear of them, and the outbox that carries mail and SMS.
create table notifications (
  id uuid primary key,
  account_id uuid not null,
  type text not null,
  title text not null,
  body text not null,
  data jsonb not null default '{}',
  -- The channels by which it has also gone out.
  sent_by text[] not null default '{}',
  created_at timestamptz not null default now(),
  read_at timestamptz
);
-- Ids are UUID v7, so they sort by time: one index serves the newest-first list.
create index notifications_by_account on notifications (account_id, id desc);
create index notifications_unread on notifications (account_id) where read_at is null;
create index notifications_age on notifications (created_at);

create table notification_preferences (
  account_id uuid primary key,
  email_payments boolean not null,
  email_usage boolean not null,
  email_security boolean not null,
  sms_payments boolean not null,
  sms_usage boolean not null,
  sms_security boolean not null,
  updated_at timestamptz not null default now()
);

-- A row here: the account has been told that its balance is low, and has not topped up since.
create table balance_warnings (
  account_id uuid primary key,
  warned_at timestamptz not null default now()
);

-- When the account was last told that a call which was left is charged.
create table allowance_notices (
  account_id uuid primary key,
  told_at timestamptz not null
);

-- The row is the job. `lease_id` names the deliverer that holds it until `next_try_at`.
create table outbox (
  id uuid primary key,
  channel text not null check (channel in ('email', 'sms')),
  account_id uuid,
  notification_id uuid,
  -- The category of a notice; null for a code.
  notice text,
  recipient text not null,
  subject text,
  body text,
  html text,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'dead', 'folded')),
  -- It has taken its place in the day's budget of SMS.
  counted boolean not null default false,
  attempts integer not null default 0,
  next_try_at timestamptz not null default now(),
  lease_id uuid,
  last_error text,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  -- Codes must not stay at rest: what was delivered is wiped.
  constraint delivered_is_wiped check (
    state not in ('sent', 'folded') or (subject is null and body is null and html is null)
  )
);
create index outbox_due on outbox (channel, next_try_at) where state = 'waiting';
create index outbox_finished on outbox (finished_at) where state <> 'waiting';
create index outbox_account on outbox (account_id, created_at desc);

-- An SMS costs money. Notices to one account on one day (by ACTIVITY_TIME_ZONE): sent, and left out
-- for the digest.
create table sms_notice_days (
  account_id uuid not null,
  day date not null,
  sent int not null default 0,
  folded int not null default 0,
  digested_at timestamptz,
  primary key (account_id, day)
);
create index sms_notice_days_to_digest on sms_notice_days (day)
  where folded > 0 and digested_at is null;
create index sms_notice_days_age on sms_notice_days (day);

-- Codes on one day (UTC): in all, and per address that asked for them, which is kept as a keyed hash.
create table sms_code_days (
  bucket text not null,
  day date not null,
  sent int not null,
  primary key (day, bucket)
);

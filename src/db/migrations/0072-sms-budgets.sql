-- An SMS costs money: what is sent in a day is counted, and what goes beyond an account's share is summed up.

-- Notices to one account on one day (by ACTIVITY_TIME_ZONE): sent, and left out for the digest.
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

-- `notice` is the category of a notice, null for a code; `counted`: it has taken its place in the day.
alter table outbox add column notice text, add column counted boolean not null default false;
alter table outbox drop constraint outbox_state_check;
alter table outbox add constraint outbox_state_check
  check (state in ('waiting', 'sent', 'dead', 'folded'));
alter table outbox add constraint outbox_folded_erased
  check (state <> 'folded' or (subject is null and body is null and html is null));

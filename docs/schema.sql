-- What the database is: written from the migrations by `npm run schema`, compared by
-- test/db/schema.test.ts. Change a table by a new file in src/db/migrations.

create table migrations (
  number int not null,
  name text not null,
  hash text not null,
  applied_at timestamptz not null default now(),
  primary key (number)
);

-- ## 0001-processes.sql
-- A hold belongs to a living process: each one signs here every few seconds, by the database's clock.

-- No index on `beat_at`: a beat then changes no index and the row is rewritten in place. There are few.
create table processes (
  id uuid not null,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now(),
  primary key (id)
);

-- ## 0002-ledger.sql
-- Money: one row of sums per account, entries that are only ever added, and open holds.

create table ledger_accounts (
  account_id uuid not null,
  balance_micro int8 not null default 0,
  held_micro int8 not null default 0,
  -- What all open holds together may come to cost.
  limits_micro int8 not null default 0,
  -- The part of the balance that nobody has bought. Gifts are used first.
  gift_micro int8 not null default 0,
  entries int8 not null default 0,
  -- Counts the changes. Sums alone may come back to what they were while a hold has been released.
  version int8 not null default 0,
  primary key (account_id),
  constraint gift_not_negative check (gift_micro >= 0),
  constraint held_within_balance check ((0 <= held_micro) and (held_micro <= balance_micro)),
  constraint limits_cover_held check (held_micro <= limits_micro)
) with (fillfactor=50);

-- Every index of this table is written with every charge, so there is none on `id`: nobody looks for
-- an entry by it. Whoever writes here has locked the account's row, so that no foreign key needs to
-- look it up again, which was a tenth of the database's work in a call. The audit checks it.
create table ledger_entries (
  -- Grows with every entry: within one account it is the order in which the balance moved.
  seq int8 not null generated always as identity,
  id uuid not null,
  account_id uuid not null,
  -- Each account's entries are numbered 1, 2, 3 …, so that a list knows its total without counting.
  ordinal int8 not null,
  type text not null,
  amount_micro int8 not null,
  balance_after_micro int8 not null,
  key text not null,
  description text not null,
  reference_type text,
  reference_id text,
  workspace_id uuid,
  operator text,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  primary key (account_id, ordinal),
  unique (key),
  check (amount_micro <> 0),
  check (balance_after_micro >= 0),
  check (type in ('signup_bonus', 'topup', 'usage', 'refund', 'adjustment'))
);
-- Top-ups, grants and corrections are few among the many charges, and have filters of their own.
create index ledger_entries_credits on ledger_entries (account_id, type, ordinal) where (type <> 'usage');
create index ledger_entries_credits_by_time on ledger_entries (created_at) where (type <> 'usage');
-- Entries are written in the order of time and never change: a few bytes for each megabyte of them,
-- where an entry for each row would be one more write of every charge.
create index ledger_entries_by_time on ledger_entries using brin (created_at);
create trigger ledger_entries_stay before delete or update or truncate on ledger_entries for each statement execute function ledger_entries_stay();

create or replace function ledger_entries_stay()
 returns trigger
 language plpgsql
as $function$
begin
  raise exception 'ledger entries are only ever added';
end $function$;

-- Closing a hold deletes its row, so whoever gets the row acts and everybody else does nothing. As for
-- entries, the account's row is locked by whoever writes one.
create table holds (
  id uuid not null,
  account_id uuid not null,
  amount_micro int8 not null,
  -- The most that its call may cost now, however little of it is held.
  limit_micro int8 not null,
  -- Nobody knows what its call may cost: an account has one such hold at a time.
  guessed boolean not null default false,
  owner_process uuid,
  owner_job text,
  deadline timestamptz,
  -- For the activity record of a call whose process died.
  about jsonb not null,
  created_at timestamptz not null default now(),
  primary key (id),
  check (amount_micro >= 0),
  constraint limit_covers_amount check (amount_micro <= limit_micro),
  constraint one_owner check (((owner_process is not null) and (owner_job is null) and (deadline is null)) or ((owner_process is null) and (owner_job is not null) and (deadline is not null)))
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);
create index holds_by_process on holds (owner_process, created_at) where (owner_process is not null);
create index holds_guessed on holds (account_id) where guessed;
create index holds_by_deadline on holds (deadline) where (deadline is not null);

-- What an account could not pay is the operator's loss; it is never a debt of the account.
create table uncollected (
  key text not null,
  account_id uuid not null,
  amount_micro int8 not null,
  description text not null,
  reference_type text,
  reference_id text,
  created_at timestamptz not null default now(),
  primary key (key),
  foreign key (account_id) references ledger_accounts(account_id),
  check (amount_micro > 0)
);
create index uncollected_newest on uncollected (account_id, created_at);
create index uncollected_by_time on uncollected (created_at);

-- What an account caused upstream and did not pay, by its worth, until it is a day old: so no number
-- of keys or processes hides it. One row for ten minutes and a kind of call, however many there were.
create table unpaid_work (
  account_id uuid not null,
  kind text not null,
  slot int8 not null,
  -- The last time within these ten minutes.
  at timestamptz not null,
  worth_micro int8 not null,
  primary key (account_id, kind, slot),
  check (worth_micro > 0)
) with (fillfactor=70);
create index unpaid_work_by_time on unpaid_work (at);

-- Days (UTC) on which accounts that never paid reached what all of them may leave unpaid.
create table unpaid_days (
  day date not null,
  primary key (day)
);

create or replace function gift_after(gift int8, type text, amount int8, balance_after int8)
 returns int8
 language plpgsql
 immutable parallel safe
as $function$
begin
  if type = 'usage' then return greatest(0, gift + amount); end if;
  if type = 'signup_bonus' or (type = 'adjustment' and amount > 0) then return gift + amount; end if;
  -- Whatever else is taken away was bought, as long as there is any of that.
  return least(gift, balance_after);
end $function$;

-- For the audit: over the entries of one account, in their order.
create aggregate gift_of(type text, amount int8, balance_after int8) (sfunc = gift_after, stype = int8, initcond = '0');

-- A batch is written and committed in one statement, so what must be true after it is checked in it.
create or replace function assert_postcondition(met boolean, postcondition text)
 returns void
 language plpgsql
as $function$
begin
  if met is not true then
    raise exception '%', postcondition;
  end if;
end $function$;

-- What every charge writes is sent as lists of these types (src/db/binary-rows.ts). Processes of two
-- versions write at the same time while replicas are updated, so a type never changes: one that needs
-- other columns gets a new name.
create type account_change as (
  id uuid,
  balance_was int8,
  held_was int8,
  limits_was int8,
  entries_was int8,
  version_was int8,
  balance int8,
  held int8,
  limits int8,
  gift int8,
  entries_now int8
);

create type new_entry as (
  id uuid,
  account_id uuid,
  type text,
  amount int8,
  after int8,
  key text,
  description text,
  ref_type text,
  ref_id text,
  workspace uuid,
  operator text,
  ordinal int8
);

create type closed_hold as (
  id uuid,
  amount int8,
  max int8
);

-- ## 0003-idempotency.sql
-- Good answers are stored for a day, so that a retry with its Idempotency-Key is answered, not run again.

create table idempotency_keys (
  account_id uuid not null,
  key text not null,
  -- The right to answer: whoever took the key over since bears another one.
  claim_id uuid not null,
  route text not null,
  process_id uuid not null,
  state text not null,
  status int,
  headers jsonb,
  -- The whole answer; or, where it is stored in pieces, the middle of it. The answer is then: the first
  -- `pieces_head` of the `pieces_bytes`, `body`, their last `pieces_tail`. What the call cost stands in
  -- the answer and is known only in the commit: that part is in `body`.
  body bytea,
  pieces_bytes int8,
  pieces_head int8,
  pieces_tail int8,
  claimed_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (account_id, key),
  check (state in ('running', 'stored')),
  constraint pieces_go_together check (num_nulls(pieces_bytes, pieces_head, pieces_tail) in (0, 3)),
  constraint stored_answer_is_whole check ((state = 'running') or ((status is not null) and (headers is not null) and (body is not null)))
);
create index idempotency_keys_expiry on idempotency_keys (expires_at);

-- A key pays once: a large answer is stored in pieces, written before the commit that charges for it.
create table stored_answer_pieces (
  claim_id uuid not null,
  no int not null,
  bytes bytea not null,
  written_at timestamptz not null default now(),
  primary key (claim_id, no)
);
create index stored_answer_pieces_age on stored_answer_pieces (written_at);

-- Stored answers have a budget: how many bytes an account had stored in each hour, to be added up at a claim.
create table stored_answer_sizes (
  account_id uuid not null,
  hour timestamptz not null,
  bytes int8 not null,
  primary key (account_id, hour)
) with (fillfactor=50);
create index stored_answer_sizes_age on stored_answer_sizes (hour);

-- ## 0004-accounts.sql
-- Who our customers are, their workspaces and their API keys.

create table accounts (
  id uuid not null,
  full_name text not null,
  avatar_url text,
  email text,
  email_verified_at timestamptz,
  phone_number text,
  phone_verified_at timestamptz,
  -- The number last proven: it stays the way in while a new one waits for its code.
  login_phone text,
  password_hash text,
  status text not null,
  role text not null default 'user',
  locale text not null default 'sw',
  mfa_method text not null default 'none',
  totp_sealed bytea,
  totp_pending_sealed bytea,
  totp_last_step int8,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  erased_at timestamptz,
  phone_confirmed boolean not null default false,
  phone_signs_in_at timestamptz,
  -- Somebody else registered with the same address while this account waited for its code: until its
  -- owner sets a password, what was made in it is not certain to be the owner's.
  contested boolean not null default false,
  primary key (id),
  check (locale in ('sw', 'en')),
  check (mfa_method in ('none', 'totp', 'email', 'phone', 'passkey')),
  check (role in ('user', 'admin')),
  check (status in ('pending_verification', 'active', 'suspended'))
);
-- Only proven identifiers are exclusive: a claim that was never proven keeps nobody out.
create unique index accounts_verified_email on accounts (email) where ((email_verified_at is not null) and (deleted_at is null));
create unique index accounts_login_phone on accounts (login_phone) where (deleted_at is null);
create index accounts_email on accounts (email) where (deleted_at is null);
create index accounts_phone on accounts (phone_number) where (deleted_at is null);
create index accounts_unverified on accounts (created_at) where ((status = 'pending_verification') and (deleted_at is null));
create index accounts_to_erase on accounts (deleted_at) where ((deleted_at is not null) and (erased_at is null));
create index accounts_waiting_phone on accounts (phone_signs_in_at) where (phone_signs_in_at is not null);

-- Which identifiers have ever earned the sign-up grant. Keyed hashes, so that the grant stays "once
-- ever" without keeping deleted people's addresses.
create table proven_identifiers (
  identifier_hmac bytea not null,
  account_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (identifier_hmac)
);

-- The key under which identifiers are hashed outlives MASTER_KEY: it is sealed under it, not derived.
create table identifier_keys (
  id int not null generated always as identity,
  sealed bytea not null,
  created_at timestamptz not null default now(),
  primary key (id)
);

-- Workspaces group API keys and activity; every active account has exactly one default.
create table workspaces (
  id uuid not null,
  account_id uuid not null,
  name text not null,
  slug text not null,
  description text,
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (id),
  foreign key (account_id) references accounts(id) on delete cascade,
  unique (account_id, slug),
  constraint default_has_its_slug check (is_default = (slug = 'default'))
);
create unique index workspaces_one_default on workspaces (account_id) where is_default;

create table api_keys (
  id uuid not null,
  account_id uuid not null,
  workspace_id uuid not null,
  name text not null,
  key_hash bytea not null,
  prefix text not null,
  last4 text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (id),
  foreign key (account_id) references accounts(id) on delete cascade,
  unique (key_hash),
  foreign key (workspace_id) references workspaces(id)
);
create index api_keys_account on api_keys (account_id, created_at desc, id desc);
create index api_keys_workspace on api_keys (workspace_id);
create index api_keys_prefix on api_keys (prefix);
create index api_keys_over on api_keys (LEAST(revoked_at, expires_at));

-- ## 0005-sign-in.sql
-- How an account proves itself: codes, tries, sessions, other providers, and the keys that sign tokens.

-- A code belongs to the account that asked for it: two accounts may wait for the same identifier.
create table codes (
  id uuid not null,
  -- Keyed hash of the identifier the code was asked for, known to us or not.
  subject bytea not null,
  purpose text not null,
  channel text not null,
  -- Null for an identifier we do not know: its cool-down and tries count all the same.
  account_id uuid,
  code_hmac bytea,
  tries int not null default 0,
  sent_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  asker text not null default '',
  others_tries int not null default 0,
  primary key (id),
  foreign key (account_id) references accounts(id) on delete cascade,
  unique NULLS not DISTINCT (subject, purpose, account_id, asker),
  check (channel in ('email', 'phone', 'totp')),
  check (purpose in ('verify_email', 'verify_phone', 'login_mfa', 'reset_password', 'change_mfa', 'change_email'))
);
create index codes_account on codes (account_id);
create index codes_expires on codes (expires_at);

-- Each signs in once in place of an authenticator, and is then deleted. 80 random bits each: a hash
-- without a key is enough, and survives a change of MASTER_KEY.
create table recovery_codes (
  account_id uuid not null,
  code_hash bytea not null,
  primary key (account_id, code_hash),
  foreign key (account_id) references accounts(id) on delete cascade
);

create table throttles (
  bucket text not null,
  tries int not null,
  last_try timestamptz not null default now(),
  blocked_until timestamptz,
  primary key (bucket)
);
create index throttles_age on throttles (last_try);

create table sessions (
  id uuid not null,
  account_id uuid not null,
  -- A refresh token is an HMAC over id, counter and salt; nothing stored here opens a session.
  refresh_salt bytea not null,
  refresh_counter int not null default 0,
  rotated_at timestamptz not null default now(),
  -- When it passed the second factor: changing that asks for it.
  second_factor_at timestamptz,
  -- Its refresh token is in a cookie.
  cookie boolean not null default false,
  device bytea,
  -- A keyed hash of the network. A new login is one from a network that the account has not used,
  -- whatever its User-Agent says; the owner is notified of it.
  network bytea,
  owner_notified boolean not null default false,
  -- What it was opened with, from a fixed list, never the caller's own text.
  browser text,
  system text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text,
  confirmed_at timestamptz,
  guest boolean not null default false,
  -- An account may have a passkey beside codes by SMS or email, and the work of operators does not
  -- accept the latter.
  second_factor_by_message boolean not null default false,
  seen_from text,
  primary key (id),
  foreign key (account_id) references accounts(id) on delete cascade
);
-- An account that goes takes its sessions along, and a sign-in looks at all of them: not only at
-- those that live.
create index sessions_account on sessions (account_id, ended_at);
-- Over is what has ended or expired, whichever came first.
create index sessions_over on sessions (LEAST(ended_at, expires_at));

create table signing_keys (
  kid text not null,
  public_jwk jsonb not null,
  private_sealed bytea not null,
  created_at timestamptz not null default now(),
  primary key (kid)
);

-- Sign-in through others: whose identity opens which account.
create table identities (
  -- Never the email address: that can change hands. The issuer and its subject cannot.
  issuer text not null,
  subject text not null,
  account_id uuid not null,
  created_at timestamptz not null default now(),
  id uuid not null,
  provider text not null,
  primary key (issuer, subject),
  foreign key (account_id) references accounts(id) on delete cascade
);
create index identities_account on identities (account_id);

-- A browser on its way to a provider and back. State and browser are kept as hashes only.
create table sign_in_attempts (
  state_hash bytea not null,
  provider text not null,
  browser_hash bytea not null,
  redirect_uri text not null,
  client_state text,
  -- The browser that began gets a cookie, and no token in the address.
  cookie boolean not null default false,
  expires_at timestamptz not null,
  primary key (state_hash)
);
create index sign_in_attempts_expires on sign_in_attempts (expires_at);

-- ID tokens that have opened a session: each does so once.
create table spent_tokens (
  token_hash bytea not null,
  expires_at timestamptz not null,
  primary key (token_hash)
);
create index spent_tokens_expires on spent_tokens (expires_at);

-- ## 0006-notices.sql
-- What people are told: in-app notifications, how they want to hear of them, and the outbox that carries mail and SMS.

create table notifications (
  id uuid not null,
  account_id uuid not null,
  type text not null,
  title text not null,
  body text not null,
  data jsonb not null default '{}'::jsonb,
  -- The channels by which it has also gone out.
  sent_by text[] not null default '{}'[],
  created_at timestamptz not null default now(),
  read_at timestamptz,
  primary key (id)
);
-- Ids are UUID v7, so they sort by time: one index serves the newest-first list.
create index notifications_by_account on notifications (account_id, id desc);
create index notifications_unread on notifications (account_id) where (read_at is null);
create index notifications_age on notifications (created_at);

create table notification_preferences (
  account_id uuid not null,
  email_payments boolean not null,
  email_usage boolean not null,
  email_security boolean not null,
  sms_payments boolean not null,
  sms_usage boolean not null,
  sms_security boolean not null,
  updated_at timestamptz not null default now(),
  primary key (account_id)
);

-- A row here: the account has been told that its balance is low, and has not topped up since.
create table balance_warnings (
  account_id uuid not null,
  warned_at timestamptz not null default now(),
  primary key (account_id)
);

-- When the account was last told that a call which was left is charged.
create table allowance_notices (
  account_id uuid not null,
  told_at timestamptz not null,
  primary key (account_id)
);

-- The row is the job. `lease_id` names the deliverer that holds it until `next_try_at`.
create table outbox (
  id uuid not null,
  channel text not null,
  account_id uuid,
  notification_id uuid,
  -- The category of a notice; null for a code.
  notice text,
  recipient text not null,
  subject text,
  body text,
  html text,
  state text not null default 'waiting',
  -- It has taken its place in the day's budget of SMS.
  counted boolean not null default false,
  attempts int not null default 0,
  next_try_at timestamptz not null default now(),
  lease_id uuid,
  last_error text,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (id),
  constraint delivered_is_wiped check ((state <> ALL (ARRAY['sent', 'folded'])) or ((subject is null) and (body is null) and (html is null))),
  check (channel in ('email', 'sms')),
  check (state in ('waiting', 'sent', 'dead', 'folded'))
);
create index outbox_due on outbox (channel, next_try_at) where (state = 'waiting');
create index outbox_finished on outbox (finished_at) where (state <> 'waiting');
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
create index sms_notice_days_to_digest on sms_notice_days (day) where ((folded > 0) and (digested_at is null));
create index sms_notice_days_age on sms_notice_days (day);

-- Codes on one day (UTC): in all, and per address that asked for them, which is kept as a keyed hash.
create table sms_code_days (
  bucket text not null,
  day date not null,
  sent int not null,
  primary key (day, bucket)
);

-- ## 0007-catalog.sql
-- Which models exist, who serves them, and what they cost: every price ever charged stays readable.

create table catalog_models (
  resource_id uuid not null,
  id text not null,
  -- Taken off the shelf by the operator. A model that its upstreams no longer list keeps its row too.
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (resource_id),
  unique (id),
  check (id <> '')
);

create table price_snapshots (
  id uuid not null,
  model_id uuid not null,
  upstream text not null,
  -- US dollars per unit, exact decimals as text.
  pricing jsonb not null,
  basis text not null,
  priced text not null,
  -- What made credits of dollars while this price was in force.
  margin text not null,
  credits_per_usd text not null,
  reason text not null,
  operator text,
  taken_at timestamptz not null default now(),
  primary key (id),
  foreign key (model_id) references catalog_models(resource_id),
  check (priced in ('paid', 'free', 'unpriced')),
  check (reason in ('first', 'listed', 'by_hand', 'terms', 'approved'))
);
create index price_snapshots_of on price_snapshots (model_id, upstream, taken_at);
create trigger price_snapshots_final before delete or update or truncate on price_snapshots for each statement execute function price_snapshots_are_final();

create or replace function price_snapshots_are_final()
 returns trigger
 language plpgsql
as $function$
begin
  raise exception 'a price snapshot is never changed';
end $function$;

create table catalog_offers (
  model_id uuid not null,
  upstream text not null,
  -- What the upstream says of the model, without its price.
  record jsonb not null,
  price_id uuid not null,
  listed boolean not null,
  by_hand boolean not null,
  changed_at timestamptz not null default now(),
  primary key (model_id, upstream),
  foreign key (model_id) references catalog_models(resource_id),
  foreign key (price_id) references price_snapshots(id)
);

-- Prices that vanished or leapt: they wait here until the operator approves them.
create table pending_prices (
  model_id uuid not null,
  upstream text not null,
  pricing jsonb not null,
  basis text not null,
  priced text not null,
  reason text not null,
  noticed_at timestamptz not null default now(),
  primary key (model_id, upstream),
  foreign key (model_id, upstream) references catalog_offers(model_id, upstream),
  check (reason in ('vanished', 'moved'))
);

-- Margins that operators set: of a model, or of all that produce something, in place of PRICE_MARGIN.
create table margins (
  scope text not null,
  -- The id of a model, or what models produce: `text`, `image` …
  name text not null,
  -- A plain decimal. That it changed is in the log of the operators, and in the prices made with it.
  margin text not null,
  primary key (scope, name),
  check ((margin)::numeric > (0)::numeric),
  check (scope in ('model', 'modality'))
);

-- One row: whoever holds its lease reads the upstreams' lists; the others wait for the outcome.
create table catalog_sync (
  only_row boolean not null default true,
  holder uuid,
  lease_until timestamptz,
  finished_at timestamptz,
  -- A sync that could not read every upstream is tried again soon.
  retry_at timestamptz,
  -- A changed file of upstreams counts at once.
  settings_hash text,
  primary key (only_row),
  check (only_row)
);

-- ## 0008-payments.sql
-- Mobile-money top-ups. The row is also the job that asks the provider what became of the money.

create table payments (
  id uuid not null,
  account_id uuid not null,
  provider text not null,
  -- Ours, committed before the provider first hears of the payment: a lost answer is found by it.
  reference text not null,
  provider_ref text,
  status text not null default 'pending',
  amount_tzs int8 not null,
  currency text not null default 'TZS',
  -- Fixed at creation: a later change of the rate does not touch a payment under way.
  credits_micro int8 not null,
  -- What the provider took of the payment; null where it did not say.
  fee_tzs int8,
  phone_number text not null,
  payer_name text not null default '',
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
  create_body text,
  creates int not null default 0,
  primary key (id),
  unique (reference),
  constraint completed_has_its_time check ((status = 'completed') = (completed_at is not null)),
  check (amount_tzs > 0),
  check (credits_micro > 0),
  check (fee_tzs >= 0),
  check (status in ('pending', 'completed', 'failed', 'expired'))
);
create unique index payments_provider_ref on payments (provider, provider_ref) where (provider_ref is not null);
create index payments_reference_of_provider on payments (provider_ref) where (provider_ref is not null);
-- Ids are UUID v7 and sort by time: these serve the lists, newest first, and their counts.
create index payments_account on payments (account_id, id desc);
create index payments_account_status on payments (account_id, status, id desc);
create index payments_status on payments (status, id desc);
create index payments_due on payments (next_check_at) where (next_check_at is not null);
create index payments_completed on payments (completed_at) where (completed_at is not null);
create index payments_late on payments (completed_at) where late;
create index payments_to_review on payments (review_at) where ((review is not null) and (reviewed_at is null));
create index payments_waiting on payments (phone_number) where (status = 'pending');

-- All that was ever paid in, beside what we owe: kept as payments complete, not added up by each reader.
create table received_sums (
  provider text not null,
  payments int8 not null,
  amount_tzs int8 not null,
  credits_micro int8 not null,
  primary key (provider),
  check (amount_tzs >= 0),
  check (credits_micro >= 0),
  check (payments >= 0)
);

-- What a dollar costs in shillings, by day.
create table fx_rates (
  -- It holds from this day until the next one that has a rate.
  day date not null,
  tzs_per_usd text not null,
  set_at timestamptz not null default now(),
  primary key (day)
);

-- ## 0009-activity.sql
-- What happened: one row per billable operation or stage, and the sums that keep reads quick as it grows.

-- PostgreSQL reads the text of every check of a table again for each statement that writes to it. So
-- the checks are in the one place that writes records (`checkRecord` in src/activity/activity-store.ts),
-- but for the cost.
create table activity_records (
  id uuid not null,
  account_id uuid not null,
  workspace_id uuid,
  key_id uuid,
  request_id text not null,
  kind text not null,
  model text not null,
  -- `completed`, `failed` or `cancelled`.
  status text not null,
  error_code text,
  prompt_tokens int8,
  completion_tokens int8,
  total_tokens int8,
  cost_micro int8 not null,
  uncollected_micro int8 not null default 0,
  -- The part of the charge that was paid with credits that nobody had bought.
  gift_micro int8 not null default 0,
  -- What work was worth that nobody paid for.
  waived_micro int8 not null default 0,
  -- None of the next five is shown to customers.
  upstream text,
  attempts int8,
  first_byte_ms int8,
  -- Nano-dollars. Null: nobody knows, or nothing was asked for.
  upstream_cost_nusd int8,
  -- `reported` by the upstream, by the `list` of the catalog for what was counted, or `estimated`.
  cost_basis text,
  estimated boolean not null default false,
  price_snapshot_id uuid,
  latency_ms int8 not null,
  -- Milliseconds, as it is shown: a page's last record must compare equal to itself.
  created_at timestamptz(3) not null,
  -- Its record group; made by the service of the same members as in `record_groups`.
  group_id uuid not null,
  primary key (id),
  check (cost_micro >= 0)
);
create index activity_records_by_account on activity_records (account_id, created_at desc, id desc) include (group_id);
create index activity_records_by_group on activity_records (group_id, created_at desc, id desc);

-- How many records there are of one account with the same workspace, model and status. Every filter
-- of the list is a union of such groups, so one index serves them all, and the totals are exact.
create table record_groups (
  group_id uuid not null generated always as (md5((((((((account_id)::text || '/') || coalesce((workspace_id)::text, '')) || '/') || status) || '/') || model)))::uuid stored,
  account_id uuid not null,
  workspace_id uuid,
  model text not null,
  status text not null,
  records int8 not null,
  primary key (group_id),
  check (records >= 0)
) with (fillfactor=70);
create index record_groups_by_account on record_groups (account_id);

-- Sums by local day and by local month. They outlive the records.
create table activity_rollups (
  account_id uuid not null,
  grain text not null,
  starts_on date not null,
  model text not null,
  requests int8 not null,
  tokens int8 not null,
  cost_micro int8 not null,
  primary key (account_id, grain, starts_on, model),
  check (grain in ('day', 'month'))
) with (fillfactor=70);
create index activity_rollups_by_day on activity_rollups (starts_on) where (grain = 'day');

-- Sums over all customers. They outlive the records.
create table cost_sums (
  day date not null,
  -- Empty: no upstream was asked.
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
) with (fillfactor=70);

-- What each record adds to record_groups, activity_rollups and cost_sums, so that a charge writes one
-- row instead of four upserts. A row is written with its record, and moved into the sums by deleting
-- it: each record counts once, whenever it was committed. Readers add up both. There is no index and
-- no check: a row lives for seconds, and the record has been checked already.
create table pending_rollups (
  record_id uuid not null,
  account_id uuid not null,
  workspace_id uuid,
  model text not null,
  status text not null,
  group_id uuid not null,
  kind text not null,
  -- Empty: no upstream was asked.
  upstream text not null,
  -- The local one of the record.
  day date not null,
  tokens int8 not null,
  cost_micro int8 not null,
  gift_micro int8 not null,
  uncollected_micro int8 not null,
  waived_micro int8 not null,
  upstream_cost_nusd int8,
  cost_basis text
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000);

-- A deleted workspace's records count as the default's. Read through, so that deleting a workspace
-- costs one row however many records it has, and a call that was still running lands right too.
create table activity_workspace_moves (
  account_id uuid not null,
  from_workspace_id uuid not null,
  to_workspace_id uuid not null,
  moved_at timestamptz not null default now(),
  primary key (account_id, from_workspace_id),
  constraint moves_elsewhere check (to_workspace_id <> from_workspace_id)
);
create index activity_workspace_moves_age on activity_workspace_moves (moved_at);

-- As the types of the ledger: what every charge writes is sent as a list of it.
create type new_record as (
  id uuid,
  account_id uuid,
  workspace_id uuid,
  key_id uuid,
  request_id text,
  kind text,
  model text,
  status text,
  error_code text,
  prompt_tokens int8,
  completion_tokens int8,
  total_tokens int8,
  cost_micro int8,
  uncollected_micro int8,
  gift_micro int8,
  waived_micro int8,
  upstream text,
  attempts int8,
  first_byte_ms int8,
  upstream_cost_nusd int8,
  cost_basis text,
  estimated boolean,
  price_snapshot_id uuid,
  latency_ms int8,
  created_at timestamptz,
  group_id uuid
);

-- ## 0010-responses-and-videos.sql
-- Paid work that outlives its request: responses that later ones refer to, and video jobs.

-- Until they expire or are deleted.
create table stored_responses (
  account_id uuid not null,
  id text not null,
  -- The one that it continues, which may be gone by now.
  previous_id text,
  -- The items that were sent with it, as JSON. Null: too long to be stored, only the answer is.
  input bytea,
  -- As JSON. Bytes, since texts of models may contain what a text column refuses.
  response bytea not null,
  bytes int not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- The tokens of the prompt that the response answered. Null: not reported, or stored before.
  prompt_tokens int8,
  primary key (account_id, id)
);
create index stored_responses_expiry on stored_responses (expires_at);
-- What an account stores in all is summed up from this index alone.
create index stored_responses_size on stored_responses (account_id, created_at) include (bytes);

-- The row is the work itself, claimed with a lease: there is no queue beside it.
create table video_jobs (
  id uuid not null,
  account_id uuid not null,
  workspace_id uuid,
  key_id uuid,
  request_id text not null,
  model text not null,
  status text not null default 'pending',
  -- The price of the moment of acceptance: a later change of the catalog does not touch the job.
  price_snapshot_id uuid,
  price_micro int8 not null,
  credits_per_usd text not null,
  margin text not null,
  -- What to ask and whom; what was asked is forgotten once an upstream has it, or the job ends.
  targets jsonb not null,
  request text,
  hold_id uuid,
  hold_until timestamptz,
  -- Whom we asked. Committed before the asking: after a crash the same one is asked again.
  upstream text,
  upstream_model text,
  upstream_job_id text,
  submits int not null default 0,
  polls int not null default 0,
  -- A new one with every claim: who lost the lease can change nothing any more.
  lease uuid,
  lease_until timestamptz,
  next_look_at timestamptz,
  deadline timestamptz not null,
  cost_micro int8,
  error_code text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  primary key (id),
  constraint accepted_has_its_id check ((status <> ALL (ARRAY['processing', 'completed'])) or (upstream_job_id is not null)),
  constraint completed_has_its_cost check ((status = 'completed') = (cost_micro is not null)),
  constraint failed_has_its_reason check ((status in ('failed', 'cancelled', 'expired')) = (error_code is not null)),
  constraint open_is_looked_at check ((status in ('pending', 'processing')) = (next_look_at is not null)),
  constraint pending_has_its_request check ((status = 'pending') = (request is not null)),
  check (cost_micro >= 0),
  check (price_micro >= 0),
  check (status in ('pending', 'processing', 'completed', 'failed', 'cancelled', 'expired'))
) with (fillfactor=70);
-- Jobs that nobody has been asked about yet come first: a crowd of polls must not hold them up.
create index video_jobs_due on video_jobs (status, next_look_at) where (next_look_at is not null);
create index video_jobs_account on video_jobs (account_id, id desc);
create index video_jobs_ended on video_jobs (updated_at) where (next_look_at is null);

-- ## 0011-upstreams.sql
-- How the gateway and its upstreams were, minute by minute, and which upstreams begin nothing more.

-- Counted once a minute by each process: steps of five minutes, and days.
create table health_samples (
  grain text not null,
  at timestamptz not null,
  -- Every upstream was healthy, some were, none was.
  up int not null default 0,
  degraded int not null default 0,
  down int not null default 0,
  primary key (grain, at),
  check (grain in ('step', 'day'))
);
create index health_samples_age on health_samples (at);

create table upstream_minutes (
  upstream text not null,
  at timestamptz not null,
  -- Attempts, and those of them that failed because of the upstream.
  calls int not null default 0,
  errors int not null default 0,
  -- Attempts that succeeded, by how long they took: the steps are in lib/telemetry/latency.ts.
  latencies int[] not null,
  -- How many processes saw it in trouble.
  troubled int not null default 0,
  primary key (upstream, at)
);
create index upstream_minutes_age on upstream_minutes (at);
create index upstream_minutes_troubled on upstream_minutes (upstream, at) where (troubled > 0);

-- An outage is told once, however many processes see it.
create table upstream_outages (
  upstream text not null,
  why text not null,
  since timestamptz not null,
  seen_at timestamptz not null default now(),
  primary key (upstream)
);

create table upstream_drains (
  upstream text not null,
  reason text,
  operator text not null,
  at timestamptz not null default now(),
  primary key (upstream)
);

-- ## 0012-operators.sql
-- Who may run the service, and the log of what they did, which is only ever added to.

create table operators (
  account_id uuid not null,
  role text not null,
  added_at timestamptz not null default now(),
  primary key (account_id),
  foreign key (account_id) references accounts(id) on delete cascade,
  check (role in ('viewer', 'support', 'owner'))
);

create table operator_actions (
  -- 1, 2, 3 … without a gap, in the order of the commits.
  seq int8 not null,
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
  hash bytea not null,
  primary key (seq)
);
create index operator_actions_target on operator_actions (target_type, target_id, seq);
create index operator_actions_operator on operator_actions (operator_id, seq);
-- The limits of a day are sums of what was moved by hand, among years of other actions.
create index operator_actions_moved on operator_actions (at) where (amount_micro is not null);
create trigger operator_actions_stay before delete or update or truncate on operator_actions for each statement execute function operator_actions_stay();

create or replace function operator_actions_stay()
 returns trigger
 language plpgsql
as $function$
begin
  raise exception 'operator actions are only ever added';
end $function$;

-- The end of the chain: it shows when the last rows are gone, and whoever adds a row locks it.
create table operator_log (
  only_row boolean not null default true,
  seq int8 not null,
  hash bytea not null,
  told_seq int8 not null default 0,
  told_at timestamptz not null default '-infinity'::timestamptz,
  primary key (only_row),
  check (only_row)
);

-- Who was refused as an operator. Counted, not listed: whoever tries ten thousand times in an hour
-- makes one row.
create table operator_refusals (
  hour timestamptz not null,
  account_id uuid not null,
  why text not null,
  count int not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- Of the last one: the route, or the rule that was broken.
  what text not null,
  address text not null,
  request_id text not null,
  primary key (hour, account_id, why)
);
create index operator_refusals_age on operator_refusals (last_at);

-- Audits that operators ask for, run by whichever process is free.
create table audit_runs (
  id uuid not null,
  state text not null default 'waiting',
  asked_by text not null,
  step int not null default 0,
  steps int not null default 0,
  accounts int8,
  entries int8,
  holds int8,
  -- The first of them, in words; the count is of all.
  findings text[] not null default '{}'[],
  finding_count int not null default 0,
  -- The last link of the operators' log.
  log_end text,
  error text,
  attempts int not null default 0,
  -- The process that runs it has it until then: after a crash another takes it up.
  lease_id uuid,
  lease_until timestamptz,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz,
  primary key (id),
  check (state in ('waiting', 'running', 'done', 'failed'))
);
-- One at a time.
create unique index audit_runs_open on audit_runs ((true)) where (state in ('waiting', 'running'));
create index audit_runs_ended on audit_runs (ended_at) where (ended_at is not null);

-- ## 0013-webhooks.sql
-- Webhooks for the operator's own systems: where they go, and what is to be delivered.

create table webhook_endpoints (
  id uuid not null,
  url text not null,
  description text not null,
  events text[] not null,
  enabled boolean not null default true,
  -- Sealed. The one before also signs until its time is over, so that receivers can change in peace.
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz,
  created_at timestamptz not null default now(),
  gone_at timestamptz,
  primary key (id)
);

-- The row is the job, as in the outbox. No foreign key: a payment must not wait for an operator who
-- deletes an endpoint. What is left of one expires.
create table webhook_deliveries (
  endpoint_id uuid not null,
  event_id uuid not null,
  type text not null,
  body text not null,
  state text not null default 'waiting',
  attempts int not null default 0,
  next_try_at timestamptz not null default now(),
  lease_id uuid,
  last_status int,
  last_error text,
  last_try_at timestamptz,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  primary key (endpoint_id, event_id),
  check (state in ('waiting', 'delivered', 'dead'))
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_try_at) where (state = 'waiting');
create index webhook_deliveries_finished on webhook_deliveries (finished_at) where (finished_at is not null);

-- ## 0020-whose-account.sql
-- A stolen session must not become the account: who has shown to be its owner, what waits, what can be undone.

-- How an account was signed in to before each change of that. The link that its owner was sent
-- brings it back, for seven days.
create table sign_in_changes (
  id uuid not null,
  account_id uuid not null,
  token_hash bytea not null,
  created_at timestamptz not null default now(),
  email text,
  email_verified_at timestamptz,
  phone_number text,
  phone_verified_at timestamptz,
  phone_confirmed boolean not null,
  phone_signs_in_at timestamptz,
  login_phone text,
  mfa_method text not null,
  totp_sealed bytea,
  totp_last_step int8,
  recovery_hashes bytea[] not null,
  -- Rows of `identities`.
  identities jsonb not null,
  passkeys jsonb not null default '[]'::jsonb,
  primary key (id),
  foreign key (account_id) references accounts(id) on delete cascade,
  unique (token_hash)
);
create index sign_in_changes_account on sign_in_changes (account_id, id);
create index sign_in_changes_age on sign_in_changes (created_at);

-- ## 0026-passkeys.sql
-- Passkeys: a second factor that no false page can ask for, and the one that operators should have.

create table passkeys (
  id uuid not null,
  account_id uuid not null,
  -- As its owner calls it.
  name text not null,
  credential_id bytea not null,
  public_key bytea not null,
  -- How often it has signed. Copies of one key cannot both go on counting; those that a person's
  -- devices share by design stay at 0.
  counter int8 not null,
  transports text[] not null,
  -- Kept by whoever keeps its owner's other passkeys, so that it outlives the device.
  backed_up boolean not null,
  created_at timestamptz not null default now(),
  used_at timestamptz,
  primary key (id),
  foreign key (account_id) references accounts(id) on delete cascade,
  unique (credential_id)
);
create index passkeys_account on passkeys (account_id);

-- What a passkey is to sign: once, soon, and for one session or one login.
create table passkey_challenges (
  -- A session, or the challenge of a login.
  bound_to uuid not null,
  use text not null,
  account_id uuid not null,
  challenge bytea not null,
  expires_at timestamptz not null,
  primary key (bound_to, use),
  foreign key (account_id) references accounts(id) on delete cascade,
  check (use in ('add', 'log_in', 'step_up'))
);
create index passkey_challenges_account on passkey_challenges (account_id);
create index passkey_challenges_expires on passkey_challenges (expires_at);

-- ## 0028-operator-requests.sql
-- Whatever a second owner has to confirm waits in one place, not only corrections of a balance.

create table operator_requests (
  id uuid not null,
  action text not null,
  target_type text not null,
  target_id text not null,
  -- What else was asked for, as the action reads it.
  wish jsonb not null,
  reason text,
  -- The same key again is the same request.
  key text not null,
  asked_by uuid not null,
  asked_by_name text not null,
  asked_at timestamptz not null default now(),
  decision text,
  decided_at timestamptz,
  primary key (id),
  unique (key),
  check (decision in ('approved', 'refused'))
);
create index operator_requests_waiting on operator_requests (asked_at) where (decision is null);

-- ## 0036-background-responses.sql
-- Responses that run in the background: each outlives the request that asked for it, and its process.

create table background_responses (
  id text not null,
  account_id uuid not null,
  workspace_id uuid,
  key_id uuid,
  request_id text not null,
  model text not null,
  -- Of its hold and of its record: it can be charged once.
  bill_id uuid not null,
  -- What it is expected to cost, for what is lost with a process.
  worth_micro int8 not null,
  -- What was sent, as JSON, until it has ended.
  request bytea,
  -- As it was accepted, or as it ended; of one that was answered, the answer is in stored_responses.
  response bytea not null,
  -- Its events are kept, for readers who come and go.
  streams boolean not null,
  status text not null default 'queued',
  -- Nobody waits for it any more, or wants to see it.
  is_left boolean not null default false,
  is_deleted boolean not null default false,
  -- How often it was begun.
  tries int not null default 0,
  -- A new one with every claim.
  lease uuid,
  lease_until timestamptz,
  deadline timestamptz not null,
  created_at timestamptz(3) not null default now(),
  ended_at timestamptz(3),
  expires_at timestamptz not null,
  primary key (id),
  unique (bill_id),
  check (status in ('queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled')),
  check (worth_micro >= 0),
  constraint ended_has_no_request check ((ended_at is null) = (request is not null)),
  constraint ended_is_told check ((ended_at is null) = (status in ('queued', 'in_progress')))
) with (fillfactor=70);
create index background_responses_open on background_responses (created_at) where (ended_at is null);
create index background_responses_account on background_responses (account_id) where (ended_at is null);
create index background_responses_expiry on background_responses (expires_at) where (ended_at is not null);

-- What was sent or is to be sent to readers, in pieces of whole events.
create table response_events (
  response_id text not null,
  -- The number of its first event, and how many there are.
  first int8 not null,
  count int not null,
  -- Server-sent events. Bytes, since texts of models may contain what a text column refuses.
  events bytea not null,
  written_at timestamptz not null default now(),
  primary key (response_id, first),
  foreign key (response_id) references background_responses(id) on delete cascade,
  check (count > 0)
);
create index response_events_age on response_events (written_at);

-- How an account proves itself: codes, tries, sessions, other providers, and the keys that sign tokens.

-- A code belongs to the account that asked for it: two accounts may wait for the same identifier.
create table codes (
  id uuid primary key,
  -- Keyed hash of the identifier the code was asked for, known to us or not.
  subject bytea not null,
  purpose text not null check (purpose in ('verify_email', 'verify_phone', 'login_mfa',
    'reset_password', 'change_mfa', 'change_email')),
  channel text not null check (channel in ('email', 'phone', 'totp')),
  -- Null for an identifier we do not know: its cool-down and tries count all the same.
  account_id uuid references accounts (id) on delete cascade,
  code_hmac bytea,
  tries int not null default 0,
  sent_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint codes_one_per_account unique nulls not distinct (subject, purpose, account_id)
);
create index codes_account on codes (account_id);
create index codes_expires on codes (expires_at);

-- Each signs in once in place of an authenticator, and is then deleted. 80 random bits each: a hash
-- without a key is enough, and survives a change of MASTER_KEY.
create table recovery_codes (
  account_id uuid not null references accounts (id) on delete cascade,
  code_hash bytea not null,
  primary key (account_id, code_hash)
);

create table throttles (
  bucket text primary key,
  tries int not null,
  last_try timestamptz not null default now(),
  blocked_until timestamptz
);
create index throttles_age on throttles (last_try);

create table sessions (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
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
  end_reason text
);
-- An account that goes takes its sessions along, and a sign-in looks at all of them: not only at
-- those that live.
create index sessions_account on sessions (account_id, ended_at);
-- Over is what has ended or expired, whichever came first.
create index sessions_over on sessions (least(ended_at, expires_at));

create table signing_keys (
  kid text primary key,
  public_jwk jsonb not null,
  private_sealed bytea not null,
  created_at timestamptz not null default now()
);

-- Sign-in through others: whose identity opens which account.
create table identities (
  -- Never the email address: that can change hands. The issuer and its subject cannot.
  issuer text not null,
  subject text not null,
  account_id uuid not null references accounts (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (issuer, subject)
);
create index identities_account on identities (account_id);

-- A browser on its way to a provider and back. State and browser are kept as hashes only.
create table sign_in_attempts (
  state_hash bytea primary key,
  provider text not null,
  browser_hash bytea not null,
  redirect_uri text not null,
  client_state text,
  -- The browser that began gets a cookie, and no token in the address.
  cookie boolean not null default false,
  expires_at timestamptz not null
);
create index sign_in_attempts_expires on sign_in_attempts (expires_at);

-- ID tokens that have opened a session: each does so once.
create table spent_tokens (
  token_hash bytea primary key,
  expires_at timestamptz not null
);
create index spent_tokens_expires on spent_tokens (expires_at);

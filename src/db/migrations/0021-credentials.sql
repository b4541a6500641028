-- How an account proves itself: codes, tries, sessions and the keys that sign access tokens.
create table codes (
  id uuid primary key,
  -- Keyed hash of the identifier the code was asked for, known to us or not.
  subject bytea not null,
  purpose text not null
    check (purpose in ('verify_email', 'verify_phone', 'login_mfa', 'reset_password')),
  channel text not null check (channel in ('email', 'phone', 'totp')),
  -- Null for an identifier we do not know: its cool-down and tries count all the same.
  account_id uuid references accounts (id) on delete set null,
  code_hmac bytea,
  tries int not null default 0,
  sent_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  unique (subject, purpose)
);
create index codes_account on codes (account_id);
create index codes_expires on codes (expires_at);

create table throttles (
  bucket text primary key,
  tries int not null,
  last_try timestamptz not null default now(),
  blocked_until timestamptz
);

create table sessions (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  -- A refresh token is an HMAC over id, counter and salt; nothing kept here opens a session.
  refresh_salt bytea not null,
  refresh_counter int not null default 0,
  rotated_at timestamptz not null default now(),
  device bytea,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text
);
create index sessions_account on sessions (account_id) where ended_at is null;
create index sessions_expires on sessions (expires_at);

create table signing_keys (
  kid text primary key,
  public_jwk jsonb not null,
  private_sealed bytea not null,
  created_at timestamptz not null default now()
);

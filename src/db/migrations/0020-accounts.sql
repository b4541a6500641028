-- Who our customers are, and which identifiers have ever earned the sign-up grant.
create table accounts (
  id uuid primary key,
  full_name text not null,
  avatar_url text,
  email text,
  email_verified_at timestamptz,
  phone_number text,
  phone_verified_at timestamptz,
  -- The number last proven: it stays the way in while a new one waits for its code.
  login_phone text,
  password_hash text,
  status text not null check (status in ('pending_verification', 'active', 'suspended')),
  role text not null default 'user' check (role in ('user', 'admin')),
  locale text not null default 'sw' check (locale in ('sw', 'en')),
  mfa_method text not null default 'none' check (mfa_method in ('none', 'totp', 'email', 'phone')),
  totp_sealed bytea,
  totp_pending_sealed bytea,
  totp_last_step int8,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);

-- Only proven identifiers are exclusive: a claim that was never proven keeps nobody out.
create unique index accounts_verified_email on accounts (email)
  where email_verified_at is not null and deleted_at is null;
create unique index accounts_login_phone on accounts (login_phone) where deleted_at is null;
create index accounts_email on accounts (email) where deleted_at is null;
create index accounts_phone on accounts (phone_number) where deleted_at is null;

-- Keyed hashes, so that the grant stays "once ever" without keeping deleted people's addresses.
create table proven_identifiers (
  identifier_hmac bytea primary key,
  account_id uuid not null,
  created_at timestamptz not null default now()
);

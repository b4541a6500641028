-- Who our customers are, their workspaces and their API keys.
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
create index accounts_unverified on accounts (created_at)
  where status = 'pending_verification' and deleted_at is null;
create index accounts_erased on accounts (deleted_at) where deleted_at is not null;

-- Which identifiers have ever earned the sign-up grant. Keyed hashes, so that the grant stays "once
-- ever" without keeping deleted people's addresses.
create table proven_identifiers (
  identifier_hmac bytea primary key,
  account_id uuid not null,
  created_at timestamptz not null default now()
);

-- The key under which identifiers are hashed outlives MASTER_KEY: it is sealed under it, not derived.
create table identifier_keys (
  id int4 generated always as identity primary key,
  sealed bytea not null,
  created_at timestamptz not null default now()
);

-- Workspaces group API keys and activity; every active account has exactly one default.
create table workspaces (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  name text not null,
  slug text not null,
  description text,
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (account_id, slug),
  constraint default_has_its_slug check (is_default = (slug = 'default'))
);
create unique index workspaces_one_default on workspaces (account_id) where is_default;

create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  workspace_id uuid not null references workspaces (id),
  name text not null,
  key_hash bytea not null unique,
  prefix text not null,
  last4 text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_account on api_keys (account_id, created_at desc, id desc);
create index api_keys_workspace on api_keys (workspace_id);
create index api_keys_prefix on api_keys (prefix);
create index api_keys_over on api_keys (least(revoked_at, expires_at));

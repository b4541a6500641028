-- A stolen session must not become the account: who has shown to be its owner, what waits, what can be undone.
alter table sessions
  -- When its holder last showed to be the owner: by signing in, or with the password.
  add column confirmed_at timestamptz,
  -- Opened by a number that its owner has not confirmed: it is no sign-in and is not renewed.
  add column guest boolean not null default false;
update sessions set confirmed_at = created_at;

alter table accounts
  -- The owner confirmed the change to the number that waits for its code.
  add column phone_confirmed boolean not null default false,
  -- A number that nobody confirmed signs in from then on; `login_phone` is the one before it.
  add column phone_signs_in_at timestamptz;
create index accounts_waiting_phone on accounts (phone_signs_in_at)
  where phone_signs_in_at is not null;

alter table identities
  add column id uuid not null default gen_random_uuid(),
  -- For people to read: Google, GitHub, or what the operator calls the partner.
  add column provider text not null default 'partner';
update identities set provider = case
  when issuer ilike '%google%' then 'Google'
  when issuer ilike '%github%' then 'GitHub' else 'partner' end;
alter table identities alter column id drop default, alter column provider drop default;

-- How an account was signed in to before each change of that. The link that its owner was sent
-- brings it back, for seven days.
create table sign_in_changes (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  token_hash bytea not null unique,
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
  identities jsonb not null
);
create index sign_in_changes_account on sign_in_changes (account_id, id);
create index sign_in_changes_age on sign_in_changes (created_at);

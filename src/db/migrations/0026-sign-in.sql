-- Sign-in through others: whose identity opens which account, and what must be used only once.

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
  expires_at timestamptz not null
);
create index sign_in_attempts_expires on sign_in_attempts (expires_at);

-- ID tokens that have opened a session: each does so once.
create table spent_tokens (
  token_hash bytea primary key,
  expires_at timestamptz not null
);
create index spent_tokens_expires on spent_tokens (expires_at);

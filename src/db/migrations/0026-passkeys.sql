-- Passkeys: a second factor that no false page can ask for, and the one that operators should have.
alter table accounts drop constraint accounts_mfa_method_check;
-- 'passkey': there is at least one, and no other method is on.
alter table accounts add constraint accounts_mfa_method_check
  check (mfa_method in ('none', 'totp', 'email', 'phone', 'passkey'));

create table passkeys (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  -- As its owner calls it.
  name text not null,
  credential_id bytea not null unique,
  public_key bytea not null,
  -- How often it has signed. Copies of one key cannot both go on counting; those that a person's
  -- devices share by design stay at 0.
  counter int8 not null,
  transports text[] not null,
  -- Kept by whoever keeps its owner's other passkeys, so that it outlives the device.
  backed_up boolean not null,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index passkeys_account on passkeys (account_id);

alter table sign_in_changes
  -- Rows of `passkeys`: one that a thief has added goes, one that he has removed comes back.
  add column passkeys jsonb not null default '[]';

-- What a passkey is to sign: once, soon, and for one session or one login.
create table passkey_challenges (
  -- A session, or the challenge of a login.
  bound_to uuid not null,
  use text not null check (use in ('add', 'log_in', 'step_up')),
  account_id uuid not null references accounts (id) on delete cascade,
  challenge bytea not null,
  expires_at timestamptz not null,
  primary key (bound_to, use)
);
create index passkey_challenges_account on passkey_challenges (account_id);
create index passkey_challenges_expires on passkey_challenges (expires_at);

-- An account may have a passkey beside codes by SMS or email, and the work of operators does not
-- accept the latter.
alter table sessions add column second_factor_by_message boolean not null default false;
update sessions set second_factor_by_message = true
  from accounts where accounts.id = sessions.account_id and mfa_method in ('email', 'phone');

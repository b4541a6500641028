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
  check (is_default = (slug = 'default'))
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

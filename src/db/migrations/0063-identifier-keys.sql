-- The key under which identifiers are hashed outlives MASTER_KEY: it is sealed under it, not derived.
create table identifier_keys (
  id int4 generated always as identity primary key,
  sealed bytea not null,
  created_at timestamptz not null default now()
);

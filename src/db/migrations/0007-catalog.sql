-- Which models exist, who serves them, and what they cost: every price ever charged stays readable.
create table catalog_models (
  resource_id uuid primary key,
  id text not null unique check (id <> ''),
  -- Taken off the shelf by the operator. A model that its upstreams no longer list keeps its row too.
  disabled_at timestamptz,
  created_at timestamptz not null default now()
);

create table price_snapshots (
  id uuid primary key,
  model_id uuid not null references catalog_models (resource_id),
  upstream text not null,
  -- US dollars per unit, exact decimals as text.
  pricing jsonb not null,
  basis text not null,
  priced text not null check (priced in ('paid', 'free', 'unpriced')),
  -- What made credits of dollars while this price was in force.
  margin text not null,
  credits_per_usd text not null,
  reason text not null check (reason in ('first', 'listed', 'by_hand', 'terms', 'approved')),
  operator text,
  taken_at timestamptz not null default now()
);
create index price_snapshots_of on price_snapshots (model_id, upstream, taken_at);

create function price_snapshots_are_final() returns trigger language plpgsql as $$
begin
  raise exception 'a price snapshot is never changed';
end $$;
create trigger price_snapshots_final before update or delete or truncate on price_snapshots
  for each statement execute function price_snapshots_are_final();

create table catalog_offers (
  model_id uuid not null references catalog_models (resource_id),
  upstream text not null,
  -- What the upstream says of the model, without its price.
  record jsonb not null,
  price_id uuid not null references price_snapshots (id),
  listed boolean not null,
  by_hand boolean not null,
  changed_at timestamptz not null default now(),
  primary key (model_id, upstream)
);

-- Prices that vanished or leapt: they wait here until the operator approves them.
create table pending_prices (
  model_id uuid not null,
  upstream text not null,
  pricing jsonb not null,
  basis text not null,
  priced text not null,
  reason text not null check (reason in ('vanished', 'moved')),
  noticed_at timestamptz not null default now(),
  primary key (model_id, upstream),
  foreign key (model_id, upstream) references catalog_offers (model_id, upstream)
);

-- Margins that operators set: of a model, or of all that produce something, in place of PRICE_MARGIN.
create table margins (
  scope text not null check (scope in ('model', 'modality')),
  -- The id of a model, or what models produce: `text`, `image` …
  name text not null,
  -- A plain decimal. That it changed is in the log of the operators, and in the prices made with it.
  margin text not null check (margin::numeric > 0),
  primary key (scope, name)
);

-- One row: whoever holds its lease reads the upstreams' lists; the others wait for the outcome.
create table catalog_sync (
  only_row boolean primary key default true check (only_row),
  holder uuid,
  lease_until timestamptz,
  finished_at timestamptz,
  -- A sync that could not read every upstream is tried again soon.
  retry_at timestamptz,
  -- A changed file of upstreams counts at once.
  settings_hash text
);
insert into catalog_sync default values;

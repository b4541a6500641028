-- Margins that operators set: of a model, or of all that produce something, in place of PRICE_MARGIN.
create table margins (
  scope text not null check (scope in ('model', 'modality')),
  -- The id of a model, or what models produce: `text`, `image` …
  name text not null,
  -- A plain decimal. That it changed is in the log of the operators, and in the prices made with it.
  margin text not null check (margin::numeric > 0),
  primary key (scope, name)
);

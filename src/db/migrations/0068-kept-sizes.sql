-- Kept answers have a budget: how many bytes an account had kept in each hour, to be added up at a claim.
create table kept_sizes (
  account_id uuid not null,
  hour timestamptz not null,
  bytes int8 not null,
  primary key (account_id, hour)
) with (fillfactor = 50);
create index kept_sizes_age on kept_sizes (hour);

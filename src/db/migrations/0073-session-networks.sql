-- A new login is one from a network that the account has not used, whatever its User-Agent says.
alter table sessions
  -- A keyed hash of the network; null for sessions from before, which are then known to nobody.
  add column network bytea,
  -- The owner was notified of it.
  add column told boolean not null default false;

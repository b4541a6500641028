-- Every try of a create sends the same bytes, and is counted before it is sent: a refusal ends a
-- payment only when it answers the first. `payer_name` and `payer_email` are no longer filled.
alter table payments
  add column create_body text,
  add column creates int not null default 0,
  alter column payer_name set default '';

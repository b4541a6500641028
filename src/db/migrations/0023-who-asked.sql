-- A code belongs to whoever asked for it: others can neither replace it nor use up its tries.
alter table codes
  -- Keyed hash of the device, network or session that asked.
  add column asker text not null default '',
  -- Wrong answers by everybody else.
  add column others_tries int not null default 0,
  drop constraint codes_one_per_account,
  add constraint codes_one_per_asker unique nulls not distinct (subject, purpose, account_id, asker);

-- Somebody else registered with the same address while this account waited for its code: until its
-- owner sets a password, what was made in it is not certain to be the owner's.
alter table accounts add column contested boolean not null default false;

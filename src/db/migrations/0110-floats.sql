-- Calls of one process draw from one hold of its account, which must be known to be as it was left.

-- Counts the changes. Sums alone may come back to what they were while a hold has been released.
alter table ledger_accounts add column version int8 not null default 0;

-- Such a hold is of no call: nothing is recorded when it is released for a process that died.
alter table holds add column is_float boolean not null default false;

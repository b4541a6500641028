-- A charge is written only if its account is as this process left it.

-- Counts the changes. Sums alone may come back to what they were while a hold has been released.
alter table ledger_accounts add column version int8 not null default 0;

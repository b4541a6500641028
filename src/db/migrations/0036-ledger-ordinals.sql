-- Each account's entries are numbered 1, 2, 3 … so that a list knows its total and any page without counting.
alter table ledger_accounts add column entries int8 not null default 0;
alter table ledger_entries add column ordinal int8;

alter table ledger_entries disable trigger ledger_entries_stay;
update ledger_entries set ordinal = numbered.n
from (select id, row_number() over (partition by account_id order by seq) as n from ledger_entries) numbered
where numbered.id = ledger_entries.id;
alter table ledger_entries enable trigger ledger_entries_stay;

update ledger_accounts set entries = counted.n
from (select account_id, count(*) as n from ledger_entries group by account_id) counted
where counted.account_id = ledger_accounts.account_id;

alter table ledger_entries alter column ordinal set not null;
create unique index ledger_entries_ordinal on ledger_entries (account_id, ordinal);
-- Top-ups, grants and corrections are few among the many charges, and have a filter of their own.
create index ledger_entries_credits on ledger_entries (account_id, type, ordinal)
  where type <> 'usage';

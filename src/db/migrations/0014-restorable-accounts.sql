-- A deleted account can be restored for a while; then it is erased. Until now it was erased at once.
alter table accounts add column erased_at timestamptz;
delete from accounts where deleted_at is not null
  and not exists (select from ledger_accounts where account_id = accounts.id)
  and not exists (select from payments where account_id = accounts.id);
update accounts set erased_at = deleted_at where deleted_at is not null;
drop index accounts_erased;
create index accounts_to_erase on accounts (deleted_at)
  where deleted_at is not null and erased_at is null;

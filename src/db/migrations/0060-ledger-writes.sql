-- A batch is written and committed in one journey, so what it promises must be checked on the way.
create function assert_postcondition(met boolean, postcondition text) returns void language plpgsql as $$
begin
  if met is not true then
    raise exception '%', postcondition;
  end if;
end $$;

-- Every entry and hold is written with its account's row locked, so the row is there; the audit
-- proves it. Looking it up again for each row was a tenth of the database's work in a call.
alter table ledger_entries drop constraint ledger_entries_account_id_fkey;
alter table holds drop constraint holds_account_id_fkey;

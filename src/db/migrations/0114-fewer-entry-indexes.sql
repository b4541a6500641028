-- Every index of this table is written with every charge. An entry is known by its account and its
-- number there, which have an index anyway, so that this one becomes the primary key; nobody looks for
-- an entry by its id. A period of a statement is found by the numbers as well, which follow the time
-- (`entriesBefore` in src/ledger/statement-store.ts). Processes of the version before still ask by
-- time, and read all entries of the account for that.
drop index ledger_entries_newest;
alter table ledger_entries
  drop constraint ledger_entries_pkey,
  add constraint ledger_entries_pkey primary key using index ledger_entries_ordinal;

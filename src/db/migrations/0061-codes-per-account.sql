-- A code belongs to the account that asked for it: two accounts may wait for the same identifier.
alter table codes drop constraint codes_subject_purpose_key;
alter table codes add constraint codes_one_per_account
  unique nulls not distinct (subject, purpose, account_id);

-- An account that goes takes its codes along; the row of nobody (a null account) stays as it is.
alter table codes drop constraint codes_account_id_fkey;
alter table codes add constraint codes_account_id_fkey
  foreign key (account_id) references accounts (id) on delete cascade;

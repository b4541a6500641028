-- What a call may come to cost is bounded by the balance, however little of it is held meanwhile.
alter table holds add column limit_micro int8;
update holds set limit_micro = amount_micro;
alter table holds alter column limit_micro set not null,
  add constraint limit_covers_amount check (amount_micro <= limit_micro);

alter table ledger_accounts add column limits_micro int8 not null default 0;
update ledger_accounts set limits_micro = held_micro;
alter table ledger_accounts
  add constraint limits_cover_held check (held_micro <= limits_micro);

-- Changing the second factor asks for it: when a session passed it, codes for it, recovery codes.
alter table sessions add column second_factor_at timestamptz;

alter table codes drop constraint codes_purpose_check;
alter table codes add constraint codes_purpose_check check
  (purpose in ('verify_email', 'verify_phone', 'login_mfa', 'reset_password', 'change_mfa'));

-- Each signs in once in place of an authenticator, and is then deleted. 80 random bits each: a hash
-- without a key is enough, and survives a change of MASTER_KEY.
create table recovery_codes (
  account_id uuid not null references accounts (id) on delete cascade,
  code_hash bytea not null,
  primary key (account_id, code_hash)
);

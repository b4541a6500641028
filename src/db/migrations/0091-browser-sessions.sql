-- Sessions of browsers, whose refresh token is in a cookie; what a session was opened with, in words.
alter table sessions
  add column cookie boolean not null default false,
  -- From a fixed list, never the caller's own text.
  add column browser text,
  add column system text;

-- The browser that began the sign-in gets a cookie, and no token in the address.
alter table sign_in_attempts add column cookie boolean not null default false;

alter table codes drop constraint codes_purpose_check;
alter table codes add constraint codes_purpose_check check
  (purpose in ('verify_email', 'verify_phone', 'login_mfa', 'reset_password', 'change_mfa',
    'change_email'));

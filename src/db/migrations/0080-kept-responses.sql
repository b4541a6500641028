-- Responses that later requests may refer to by their ids, until they expire or are deleted.
create table kept_responses (
  account_id uuid not null,
  id text not null,
  -- The one that it continues, which may be gone by now.
  previous_id text,
  -- The items that were sent with it, as JSON. Null: too long to be kept, only the answer is.
  input bytea,
  -- As JSON. Bytes, since texts of models may contain what a text column refuses.
  response bytea not null,
  bytes int not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (account_id, id)
);
create index kept_responses_expiry on kept_responses (expires_at);
-- What an account keeps in all is summed up from this index alone.
create index kept_responses_size on kept_responses (account_id, created_at) include (bytes);

-- An endpoint that answers 410 Gone is switched off: since when, until an operator switches it on.
alter table webhook_endpoints add column gone_at timestamptz;

-- The operators' overview sums over all customers: by time for what is not usage, by day for what is.
create index ledger_entries_credits_by_time on ledger_entries (created_at) where type <> 'usage';
create index activity_rollups_by_day on activity_rollups (starts_on) where grain = 'day';
create index uncollected_by_time on uncollected (created_at);

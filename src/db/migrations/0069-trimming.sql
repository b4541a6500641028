-- What has had its time is deleted in small batches, the oldest first: each needs to find its oldest.
create index accounts_unverified on accounts (created_at)
  where status = 'pending_verification' and deleted_at is null;
create index accounts_erased on accounts (deleted_at) where deleted_at is not null;
create index throttles_age on throttles (last_try);
create index notifications_age on notifications (created_at);
create index activity_workspace_moves_age on activity_workspace_moves (moved_at);
create index video_jobs_ended on video_jobs (updated_at) where next_look_at is null;

-- Over is what has ended or expired, whichever came first.
drop index sessions_expires;
create index sessions_over on sessions (least(ended_at, expires_at));
create index api_keys_over on api_keys (least(revoked_at, expires_at));

-- An account that goes takes its sessions along, and a sign-in looks at all of them: not only at
-- those that live.
drop index sessions_account;
create index sessions_account on sessions (account_id, ended_at);

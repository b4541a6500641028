-- Jobs that nobody has been asked about yet come first: a crowd of polls must not hold them up.
drop index video_jobs_due;
create index video_jobs_due on video_jobs (status, next_look_at) where next_look_at is not null;

-- What 0115 kept for processes of the version before it, which no longer run.
drop trigger activity_records_lane on activity_records;
drop function activity_records_lane();
drop type new_record;

-- PostgreSQL reads the text of every check of a table again for each statement that writes to it. The
-- thirteen of this one took a tenth of the database's time for the charge of a lone call. Records are
-- written in one place, which checks the same before it writes (`checkRecord` in
-- src/activity/activity-store.ts); that a cost is not negative stays here too.
alter table activity_records
  drop constraint activity_records_attempts_check,
  drop constraint activity_records_completion_tokens_check,
  drop constraint activity_records_cost_basis_check,
  drop constraint activity_records_first_byte_ms_check,
  drop constraint activity_records_gift_micro_check,
  drop constraint activity_records_latency_ms_check,
  drop constraint activity_records_prompt_tokens_check,
  drop constraint activity_records_status_check,
  drop constraint activity_records_total_tokens_check,
  drop constraint activity_records_uncollected_micro_check,
  drop constraint activity_records_upstream_cost_nusd_check,
  drop constraint activity_records_waived_micro_check;

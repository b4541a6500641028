-- A payment that was completed may be taken back: what the provider said of it, and who looked at it.
alter table payments
  -- When word of it last made us ask although it was completed: a flood of callbacks asks rarely.
  add column asked_again_at timestamptz,
  -- The provider's answer that set `review`, which may now also be `unconfirmed`, and when it came.
  add column review_said text,
  add column review_at timestamptz,
  add column reviewed_at timestamptz,
  add column reviewed_by text,
  add column review_note text;

update payments set review_at = updated_at where review is not null;

create index payments_to_review on payments (review_at)
  where review is not null and reviewed_at is null;

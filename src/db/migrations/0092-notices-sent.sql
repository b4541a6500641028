-- A notification says by which channels it has also gone out.
alter table notifications add column sent_by text[] not null default '{}';
alter table outbox add column notification_id uuid;

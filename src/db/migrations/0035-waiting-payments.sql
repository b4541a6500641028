-- How many payments wait for a PIN on one phone is counted before another one is sent there.
create index payments_waiting on payments (phone_number) where status = 'pending';

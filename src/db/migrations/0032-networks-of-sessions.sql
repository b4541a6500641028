-- From where a session was opened, as its owner is shown it: a network, not an address.
alter table sessions add column seen_from text;

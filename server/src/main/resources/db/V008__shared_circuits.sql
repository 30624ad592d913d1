-- What nodes need to follow each other's circuits. `version` counts the writes of a row, so that nobody
-- takes an older state for a newer one. `changed` is the transaction that wrote it last: whoever polls
-- asks for those that were not over at its last look, so a commit that comes late is not missed.

alter table circuit
  add column version    bigint not null default 0,
  add column changed    bigint not null default 0,
  add column last_error text; -- of the last failure, as its attempt says it; null once it is reached

create index circuit_changed on circuit (changed);

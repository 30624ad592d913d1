-- How a source proves its senders and what it answers them.

alter table source
  add column verification    bytea, -- sealed JSON; null: none
  add column response_status integer check (response_status between 100 and 599), -- null: the default response
  add column response_type   text    check (response_type in ('json', 'text')),
  add column response_body   text,
  add constraint source_response_is_whole check (num_nonnulls(response_status, response_type, response_body) in (0, 3));

-- Why verification failed; null when it did not.
alter table event add column verification_reason smallint;

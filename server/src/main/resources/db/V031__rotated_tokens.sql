-- The token that a source had before its latest rotation. It goes on until previous_token_until; afterwards it stays
-- here until the next rotation, so that no other workspace can take it meanwhile.

-- However long it takes, and whoever has to be waited for.
set local statement_timeout = 0;
set local lock_timeout = 0;

alter table source
  add column previous_token       text,
  add column previous_token_until timestamptz,
  add check ((previous_token is null) = (previous_token_until is null));
create unique index source_previous_token on source (previous_token) where previous_token is not null;

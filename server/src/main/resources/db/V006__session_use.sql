-- Requests with a session in the current minute: one row for each account and each workspace that is in use, used again every
-- minute (account.access). Unlogged, as the other counts of the current minute are.
create unlogged table session_use (
  owner  uuid    primary key, -- an account or a workspace
  minute bigint  not null,
  n      integer not null
) with (fillfactor = 50);

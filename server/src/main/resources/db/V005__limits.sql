-- Counts of the current minute. Unlogged: they are written often, need no flush, and a crash of
-- PostgreSQL only begins the minute anew.

-- Management requests: one row for each workspace, used again every minute.
create unlogged table api_use (
  workspace_id uuid    primary key,
  minute       bigint  not null, -- since 1970
  n            integer not null
) with (fillfactor = 50);

-- Ingest requests: what each node counted, for the others to know.
create unlogged table ingest_use (
  minute    bigint  not null,
  source_id uuid    not null,
  node      uuid    not null, -- names a process, not an epoch: a process may have several
  n         integer not null,
  primary key (minute, source_id, node)
) with (fillfactor = 70);

-- Control: how many of a month's events the nodes have taken from the plan's number so far.
create table quota (
  workspace_id uuid    not null,
  month        integer not null, -- of the year in UTC, such as 202611
  taken        bigint  not null check (taken >= 0),
  primary key (workspace_id, month)
) with (fillfactor = 50);

alter table destination
  add column rate_per_second integer check (rate_per_second between 1 and 10000);

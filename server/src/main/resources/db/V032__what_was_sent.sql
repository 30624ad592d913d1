-- An attempt names the version of the configuration that it was made with. What shapes a request is kept when it is
-- replaced, so that the request can be rebuilt.

-- However long it takes, and whoever has to be waited for.
set local statement_timeout = 0;
set local lock_timeout = 0;

-- The low 32 bits of the version. null: made by an older version of Sluice.
alter table attempt add column configuration integer;
alter table delivery add column configuration integer;

-- A row was in force until the change with the number until_version. What is in force now is in the table of its own.
create table replaced_destination (
  destination_id uuid        not null references destination on delete cascade,
  until_version  bigint      not null,
  replaced_at    timestamptz not null,
  url            text        not null,
  auth           bytea       not null, -- sealed, as in destination
  sealed_headers bytea,
  primary key (destination_id, until_version)
);
create index replaced_destination_age on replaced_destination (replaced_at);

create table replaced_connection (
  connection_id  uuid        not null references connection on delete cascade,
  until_version  bigint      not null,
  replaced_at    timestamptz not null,
  transformation text,
  primary key (connection_id, until_version)
);
create index replaced_connection_age on replaced_connection (replaced_at);

create table replaced_source (
  source_id         uuid        not null references source on delete cascade,
  until_version     bigint      not null,
  replaced_at       timestamptz not null,
  name              text        not null,
  credential_header text, -- the header with the sender's credential, which is not forwarded
  primary key (source_id, until_version)
);
create index replaced_source_age on replaced_source (replaced_at);

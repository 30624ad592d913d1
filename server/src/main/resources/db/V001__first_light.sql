-- Configuration: ordinary tables with foreign keys. What is deleted stays as a row, because history
-- keeps its name. Each change carries the number it got from config_version, so that a node reads
-- only what is new.

create table config_version (
  one_row boolean primary key default true check (one_row),
  version bigint  not null
);
insert into config_version (version) values (0);

create table sealing_canary (
  one_row boolean primary key default true check (one_row),
  sealed bytea   not null
);

create table workspace (
  id         uuid        primary key,
  name       text        not null,
  plan       text        not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version    bigint      not null
);

create table account (
  id            uuid        primary key,
  email         text        not null unique,
  name          text        not null,
  password_hash text        not null,
  created_at    timestamptz not null
);

create table member (
  workspace_id uuid        not null references workspace,
  account_id   uuid        not null references account,
  role         text        not null check (role in ('owner', 'admin', 'member')),
  created_at   timestamptz not null,
  primary key (workspace_id, account_id)
);

create table api_key (
  id           uuid        primary key,
  workspace_id uuid        not null references workspace,
  created_by   uuid        not null references account,
  name         text        not null,
  prefix       text        not null,
  hash         bytea       not null unique,
  created_at   timestamptz not null,
  last_used_at timestamptz
);
create index api_key_workspace on api_key (workspace_id);

create table source (
  id           uuid        primary key,
  workspace_id uuid        not null references workspace,
  name         text        not null,
  description  text,
  color        text        not null,
  token        text        not null unique,
  status       text        not null check (status in ('active', 'paused')),
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  trashed_at   timestamptz,
  version      bigint      not null,
  unique (workspace_id, id)
);
create index source_version on source (version);
create index source_list on source (workspace_id, created_at desc, id desc) where trashed_at is null;

create table destination (
  id              uuid        primary key,
  workspace_id    uuid        not null references workspace,
  name            text        not null,
  url             text        not null,
  timeout_ms      integer     not null check (timeout_ms between 1 and 300000),
  auth            bytea       not null,
  custom_headers  text        not null, -- JSON; not jsonb, which would reorder them
  retry_intervals integer[]   not null check (cardinality(retry_intervals) between 1 and 10),
  max_in_flight   integer     not null check (max_in_flight between 1 and 256),
  status          text        not null check (status in ('active', 'paused')),
  revision        uuid        not null,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  deleted_at      timestamptz,
  version         bigint      not null,
  unique (workspace_id, id)
);
create index destination_version on destination (version);
create index destination_list on destination (workspace_id, created_at desc, id desc) where deleted_at is null;

-- What a destination was called and where it was when an attempt was made. Never changed.
create table destination_revision (
  id             uuid        primary key,
  destination_id uuid        not null references destination,
  name           text        not null,
  url            text        not null,
  created_at     timestamptz not null
);

create table connection (
  id             uuid        primary key,
  workspace_id   uuid        not null references workspace,
  source_id      uuid        not null,
  destination_id uuid        not null,
  enabled        boolean     not null,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  deleted_at     timestamptz,
  version        bigint      not null,
  foreign key (workspace_id, source_id) references source (workspace_id, id),
  foreign key (workspace_id, destination_id) references destination (workspace_id, id)
);
create index connection_version on connection (version);
create unique index connection_pair on connection (source_id, destination_id) where deleted_at is null;
create index connection_destination on connection (destination_id) where deleted_at is null;

-- History: written once, a partition for each day of the ids, dropped with its day.
-- Ids are UUIDv7, so a range of ids is a range of time. No foreign keys, no default partition.
-- The source stands in every key: it is what the tables can be distributed by.

create table event (
  id           uuid     not null,
  source_id    uuid     not null,
  method       text     not null,
  verification smallint not null,
  fanout       smallint not null, -- deliveries decided at ingest, those of `filtered` included
  body_size    integer  not null,
  content_type text,
  filtered     uuid[],            -- connections whose filter did not match; they have the last ordinals
  headers      bytea    not null, -- lines as on the wire
  body         bytea    not null,
  primary key (source_id, id)
) partition by range (id);
alter table event alter column body set storage external;

create table delivery (
  id              uuid        not null,
  finished_at     timestamptz not null,
  created_at      timestamptz,          -- null: with its event
  attempted_at    timestamptz,          -- from here on the last attempt, null when there was none
  source_id       uuid        not null,
  connection_id   uuid        not null,
  revision        uuid,
  latency_ms      integer,
  status          smallint    not null check (status in (3, 4, 5)),
  trigger         smallint    not null,
  attempts        smallint    not null,
  response_status smallint,
  error_code      smallint,
  error_message   text,
  response_body   bytea,
  primary key (id, source_id)
) partition by range (id);
create index delivery_dead on delivery (source_id, id desc) include (connection_id, status) where status in (4, 5);

-- Attempts that were not their delivery's last.
create table attempt (
  delivery_id     uuid        not null,
  attempted_at    timestamptz not null,
  source_id       uuid        not null,
  revision        uuid        not null,
  latency_ms      integer     not null,
  number          smallint    not null,
  response_status smallint,
  error_code      smallint,
  error_message   text,
  response_body   bytea,
  primary key (delivery_id, number, source_id)
) partition by range (delivery_id);

-- Work: one row for each delivery that is not finished. Either a node has it in memory (owner), or
-- it waits in its lane (next_at).
create table delivery_work (
  id            uuid        not null,
  next_at       timestamptz,
  created_at    timestamptz,
  source_id     uuid        not null,
  connection_id uuid        not null,
  owner         bigint,
  trigger       smallint    not null,
  attempts      smallint    not null default 0,
  recoveries    smallint    not null default 0,
  primary key (id, source_id),
  check ((owner is null) <> (next_at is null))
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_threshold = 2000000000 -- its statistics are out of date at once, and no plan needs them
);
create index delivery_work_lane on delivery_work (connection_id, trigger, next_at, id) where next_at is not null;

-- Control: few rows, rarely written.

create table lane (
  connection_id uuid        not null,
  trigger       smallint    not null,
  source_id     uuid        not null,
  wake_at       timestamptz not null,
  owner         bigint,
  primary key (connection_id, trigger)
) with (fillfactor = 50);
create index lane_wake on lane (wake_at) where owner is null;

create table circuit (
  destination_id uuid        primary key,
  state          text        not null check (state in ('closed', 'open', 'half_open')),
  failures       integer     not null,
  cooldown_ms    bigint      not null,
  generation     integer     not null,
  reopen_at      timestamptz,
  probe_owner    bigint,
  probe_until    timestamptz
) with (fillfactor = 50);

create sequence node_epoch;

create table node (
  epoch       bigint      primary key,
  home        uuid        not null, -- names the data directory, whose lock only one process holds
  state       text        not null check (state in ('live', 'dead', 'left')),
  started_at  timestamptz not null,
  lease_until timestamptz not null
) with (fillfactor = 50);

-- Usage: a ledger row for each committed batch, folded into rollups every second.
-- kind 1: events, key = source, dim = verification. kind 2: outcomes, key = connection, dim = status.
-- kind 3: deliveries made, key = connection, dim = trigger. The hour is the event's.

create table ledger (
  batch     uuid       not null,
  source_id uuid       not null, -- any one of the batch's, so that the row stands where the batch stands
  kinds     smallint[] not null,
  keys      uuid[]     not null,
  hours     integer[]  not null,
  dims      smallint[] not null,
  counts    integer[]  not null,
  sizes     bigint[]   not null,
  primary key (batch, source_id)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_threshold = 2000000000
);

create table rollup_hour (
  kind smallint not null,
  key  uuid     not null,
  hour integer  not null,
  dim  smallint not null,
  n    bigint   not null,
  size bigint   not null,
  primary key (kind, key, hour, dim)
) with (fillfactor = 70);

create table rollup_day (
  kind smallint not null,
  key  uuid     not null,
  day  integer  not null,
  dim  smallint not null,
  n    bigint   not null,
  size bigint   not null,
  primary key (kind, key, day, dim)
) with (fillfactor = 70);

create table total (
  kind smallint not null,
  key  uuid     not null,
  dim  smallint not null,
  n    bigint   not null,
  size bigint   not null,
  primary key (kind, key, dim)
) with (fillfactor = 70);

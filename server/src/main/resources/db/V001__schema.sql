-- The whole schema, by kind of table, in the order of the table in ARCHITECTURE.md ("Tables"). A comment says what each
-- table holds and, in parentheses, which package below dev.sluice writes it.
--
-- In all tables:
--   * An `id` is a UUID of version 7. It begins with its time in milliseconds, so a range of ids is a range of time.
--   * A `timestamptz` is a time by the database's clock; hours, minutes and days are numbers since 1970 in UTC.
--   * Some smallints stand for constants of Java enums: `status` for DeliveryStatus, `trigger` for Trigger (1 ingest,
--     2 resend), `verification` for VerificationStatus (1 verified, 2 failed, 3 skipped), `error_code` for ErrorCode.
--   * A bigint `owner`, `epoch` or `probe_owner` names a node. A uuid `owner`, `holder` or `node` names a process, which
--     may have had several epochs.
--   * A sealed value is encrypted with the master key. Passwords, sessions, invites and API keys are kept as hashes only.
--   * A fillfactor below 100 leaves room in each page, so that an update stays in its page and changes no index.
--
-- A later version adds a file V002__….sql beside this one. This file then stays as it is, comments included: a database
-- that another text made is refused.


-- HISTORY (engine.commit). Written once, never changed, and dropped with its day. Each table has a partition for each UTC
-- day, by the time in the id; PartitionStore makes them ahead, and there is no default partition. No foreign keys: a
-- partition is dropped without looking at other tables. `source_id` is in every key, so that the tables can be
-- distributed by it.

-- One webhook as it arrived.
create table event (
  id                  uuid     not null,
  source_id           uuid     not null,
  method              text     not null,
  verification        smallint not null,
  fanout              smallint not null, -- deliveries decided at ingest, including those of `filtered`
  body_size           integer  not null, -- bytes as they arrived, not as they are stored
  content_type        text,
  filtered            uuid[],            -- connections whose filter did not match; they have the last ordinals
  headers             bytea    not null, -- lines as on the wire
  body                bytea    not null,
  verification_reason smallint,          -- why verification failed (VerificationReason); null: it did not
  -- null: `headers` and `body` are as they arrived. Otherwise `headers` is empty, and `body` is one zstd frame of the
  -- length of the header lines (four bytes, the highest first), the header lines and the body. 0: the frame needs no
  -- dictionary. Above 0: it needs the dictionary with this number.
  encoding            integer,
  primary key (source_id, id)
) partition by range (id);
-- PostgreSQL does not compress bodies, which would cost time in every commit.
alter table event alter column body set storage external;
-- Lists of verified and of failed events. An event that needed no verification costs nothing here.
create index event_checked on event (source_id, verification, id) where verification <> 3;
-- Lists of filtered deliveries. An event that no filter kept from a connection costs nothing here.
create index event_filtered on event (source_id, id) where filtered is not null;

-- One finished delivery with its last attempt. Its id is that of the event with an ordinal in the low 12 bits, so the
-- deliveries of an event are a range of ids, and in the event's partition.
create table delivery (
  id              uuid        not null,
  finished_at     timestamptz not null,
  created_at      timestamptz,          -- null: with its event
  attempted_at    timestamptz,          -- this and what belongs to an attempt is null if there was none
  source_id       uuid        not null,
  connection_id   uuid        not null,
  revision        uuid,                 -- the destination_revision that the attempt went to
  latency_ms      integer,
  status          smallint    not null check (status in (3, 4, 5, 6)), -- succeeded, failed, exhausted, filtered
  trigger         smallint    not null,
  attempts        smallint    not null,
  response_status smallint,
  error_code      smallint,
  error_message   text,
  response_body   bytea,                -- the beginning, as bytes: `text` cannot hold U+0000
  configuration   integer,              -- the low 32 bits of the config_version that the attempt was made with
  primary key (id, source_id)
) partition by range (id);
-- Dead letters. A delivery that succeeded costs nothing here.
create index delivery_dead on delivery (source_id, id desc) include (connection_id, status) where status in (4, 5);
-- Deliveries that a filter kept back after ingest. Any other delivery costs nothing here.
create index delivery_filtered on delivery (source_id, id desc) include (connection_id) where status = 6;

-- One attempt that was not its delivery's last. The columns are those of `delivery`.
create table attempt (
  delivery_id     uuid        not null,
  attempted_at    timestamptz not null,
  source_id       uuid        not null,
  revision        uuid        not null,
  latency_ms      integer     not null,
  number          smallint    not null, -- from 1 on, without gaps
  response_status smallint,
  error_code      smallint,
  error_message   text,
  response_body   bytea,
  configuration   integer     not null,
  primary key (delivery_id, number, source_id)
) partition by range (delivery_id);


-- WORK (engine). The queue: one small row for each delivery that is not finished. It is inserted with its event and
-- deleted with its result, and updated only when something goes wrong.

create table delivery_work (
  id              uuid        not null,
  next_at         timestamptz,                    -- set: the delivery waits in its lane until then
  created_at      timestamptz,                    -- null: with its event
  source_id       uuid        not null,
  connection_id   uuid        not null,
  owner           bigint,                         -- set: the node that has the delivery in memory
  trigger         smallint    not null,
  attempts        smallint    not null default 0, -- made so far
  recoveries      smallint    not null default 0, -- processes that died while they sent it
  recovered_epoch bigint,                         -- the latest of them: counting a death again changes nothing
  undecided       boolean     not null default false, -- its filter is decided before the first attempt
  primary key (id, source_id),
  check ((owner is null) <> (next_at is null))
) with (
  -- Thousands of rows a second come and go, so the table is vacuumed after a number of them, not after a share.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_threshold = 2000000000 -- its statistics are out of date at once, and no plan needs them
);
-- Reads one lane, and no row of another.
create index delivery_work_lane on delivery_work (connection_id, trigger, next_at, id) where next_at is not null;
-- What a node owns, for its start and for a take-over. Rows that wait, perhaps a hundred million, are not in it.
create index delivery_work_owner on delivery_work (owner) where owner is not null;


-- CONTROL. Few rows. Never written in the same transaction as history or work.

-- A hint that a lane, the waiting deliveries of one connection and trigger, has something due (engine.lanes).
create table lane (
  connection_id uuid        not null,
  trigger       smallint    not null,
  source_id     uuid        not null,
  wake_at       timestamptz not null,
  owner         bigint,               -- the node that leases the lane
  workspace_id  uuid        not null  -- the nil id: the workspace of a source that is purged
                default '00000000-0000-0000-0000-000000000000',
  primary key (connection_id, trigger)
) with (fillfactor = 50);
create index lane_wake on lane (wake_at) where owner is null;
-- Lanes that a node has leased and that were woken since.
create index lane_owner on lane (owner, wake_at) where owner is not null;

-- The circuit breaker of a destination that failed, as all nodes share it (engine.settle).
create table circuit (
  destination_id uuid        primary key,
  state          text        not null check (state in ('closed', 'open', 'half_open')),
  failures       integer     not null,           -- in a row
  cooldown_ms    bigint      not null,
  generation     integer     not null,           -- grows with each opening and each claim to a probe
  reopen_at      timestamptz,                    -- when a probe may be sent
  probe_owner    bigint,                         -- the node that sends the probe, until `probe_until`
  probe_until    timestamptz,
  version        bigint      not null default 0, -- counts the writes, so that nobody takes an older state for a newer one
  changed        bigint      not null default 0, -- the transaction that wrote it last, so that a late commit is not missed
  last_error     text                            -- of the last failure, as its attempt says it; null once it is reached
) with (fillfactor = 50);
create index circuit_changed on circuit (changed);

-- The epochs of the nodes (engine.node). A start takes the next one; a process may have several.
create sequence node_epoch;

create table node (
  epoch       bigint      primary key,
  home        uuid        not null, -- names the data directory, whose lock only one process holds
  state       text        not null check (state in ('live', 'dead', 'left')),
  started_at  timestamptz not null,
  lease_until timestamptz not null
) with (fillfactor = 50);

-- The live streams of all nodes, so that a plan's limit holds over all of them together (features.streams).
create table open_stream (
  id           uuid        primary key,
  workspace_id uuid        not null,
  epoch        bigint      not null, -- of the node that sends the stream; counts while that node is live
  opened_at    timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index open_stream_workspace on open_stream (workspace_id);

-- The newest time by which decisions were made that cannot be undone (platform.db).
create table clock (
  one_row    boolean     primary key default true check (one_row),
  settled_at timestamptz
);
insert into clock default values;

-- How many of a month's events the nodes have taken from a workspace's quota so far (engine.accept).
create table quota (
  workspace_id uuid    not null,
  month        integer not null, -- of the year in UTC, such as 202611
  taken        bigint  not null check (taken >= 0),
  primary key (workspace_id, month)
) with (fillfactor = 50);

-- How far the audit got, which process runs it, and how much it ever found (features.audit).
create table audit (
  one_row     boolean     primary key default true check (one_row),
  checked_to  timestamptz,          -- what came in earlier is checked; null before the first hour
  holder      uuid,
  lease_until timestamptz,
  violations  bigint      not null default 0
);
insert into audit default values;

-- Which process ends the retention of what is too old (features.retention).
create table retention (
  one_row     boolean     primary key default true check (one_row),
  holder      uuid,
  lease_until timestamptz
);
insert into retention default values;

-- Up to where a workspace was warned of deliveries that end unsent with their retention (features.retention).
create table retention_notice (
  workspace_id uuid        primary key,
  days         integer     not null, -- of its retention; when they change, the warnings begin anew
  told_to      timestamptz not null, -- of events that came in before that
  looked_at    timestamptz not null  -- and of resends made before that
);

-- A bulk resend that is too large for one request. The process that holds its lease works it off in chunks
-- (features.recovery). It works on one connection at a time.
create table replay_job (
  id               uuid        primary key,
  workspace_id     uuid        not null,
  source_id        uuid        not null, -- this, connection_id and after_id are those of the present connection
  connection_id    uuid        not null,
  statuses         integer[]   not null,
  since            timestamptz,          -- as asked for; null: without a bound
  until            timestamptz,
  status           text        not null check (status in ('running', 'paused', 'completed', 'cancelled', 'failed')),
  planned          bigint      not null,
  created          bigint      not null default 0,
  skipped          bigint      not null default 0,
  reason           text,
  created_at       timestamptz not null, -- its deliveries have the same, by which the job knows them
  updated_at       timestamptz not null,
  finished_at      timestamptz,
  after_id         uuid        not null, -- ids up to here are done
  to_id            uuid        not null, -- the last that it is about
  owner            uuid,                 -- names a process, which may have made more than is counted
  lease_until      timestamptz,
  is_exact         boolean     not null default true, -- false: `planned` is the least number
  error_code       smallint,             -- only dead letters that ended so; null: all
  response_status  smallint,
  ended_before     timestamptz,          -- only dead letters that ended earlier; null: the job has no filter
  connections      uuid[]      not null, -- all that the job is about
  next_connections uuid[]      not null default '{}', -- those after the present one, with their sources and positions
  next_sources     uuid[]      not null default '{}',
  next_after       uuid[]      not null default '{}',
  max_created      bigint,               -- ends after so many resends
  per_second       integer,              -- the most that it makes in a second
  check ((status in ('running', 'paused')) = (finished_at is null))
) with (fillfactor = 50);
create index replay_job_list on replay_job (workspace_id, created_at desc, id desc);
create index replay_job_open on replay_job (lease_until) where status = 'running' or owner is not null;
create index replay_job_finished on replay_job (finished_at) where finished_at is not null;

-- A dead letter that somebody dismissed (features.recovery). The delivery itself never changes.
create table dismissal (
  source_id    uuid        not null,
  delivery_id  uuid        not null,
  dismissed_at timestamptz not null,
  primary key (source_id, delivery_id)
);
-- For the end of retention, which removes the oldest of all sources.
create index dismissal_age on dismissal (delivery_id);


-- COUNTS of the current minute. Unlogged: they are written often and need no flush. A crash of PostgreSQL empties them,
-- which only begins the minute anew.

-- Management requests: one row for each workspace, used again every minute (account.access).
create unlogged table api_use (
  workspace_id uuid    primary key,
  minute       bigint  not null,
  n            integer not null
) with (fillfactor = 50);

-- Ingest requests: what each node counted, for the others to know (engine.accept).
create unlogged table ingest_use (
  minute    bigint  not null,
  source_id uuid    not null,
  node      uuid    not null,
  n         integer not null,
  primary key (minute, source_id, node)
) with (fillfactor = 70);


-- COMMITS (engine.ledger). Which events and outcomes each commit made visible, so that streams and alerts miss none: ids
-- are not in the order of commits. One row for each batch, in the batch's own transaction; later one row for all
-- batches of a minute.

create table commit_log (
  xid                bigint not null, -- of the batch; of a compacted row: the last that it covers
  overlap            bigint not null, -- how many ids of transactions back another one may still have run
  events_from        bigint,          -- arrival of the batch's earliest event, ms since 1970
  outcomes_from      uuid,            -- first and last delivery that ended, if their ids are close
  outcomes_to        uuid,
  outcomes           uuid[],          -- or each of them, if not
  compacted_at       timestamptz,     -- null: the row of one batch
  -- For each connection and status of the batch: how many deliveries failed, and one of them. Null: none failed.
  failed_connections uuid[],
  failed_statuses    smallint[],
  failed_counts      integer[],
  failed_samples     uuid[]
) with (
  -- As `delivery_work`.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_threshold = 2000000000
);
create index commit_log_xid on commit_log (xid);
create index commit_log_failed on commit_log (xid) where failed_connections is not null;
-- The log begins here. Whoever asks for earlier commits learns that there is a gap.
insert into commit_log (xid, overlap, compacted_at)
values (pg_current_xact_id()::text::bigint, 0, now());


-- USAGE (engine.ledger). Counts that lists, statistics and quotas read instead of counting history. `kind` is UsageKind:
--   1 events              key = source      dim = verification        size = bytes
--   2 outcomes            key = connection  dim = status
--   3 deliveries made     key = connection  dim = trigger
--   4 latencies           key = connection  dim = bucket (LatencyBuckets)
--   5 refused requests    key = source      dim = reason (RefusalReason)
-- The hour is the event's; that of a refusal is its own.

-- One row for each batch, in the batch's transaction. Folded into the sums below within seconds, and deleted. The arrays
-- have the same length.
create table ledger (
  batch     uuid       not null,
  source_id uuid       not null, -- any one of the batch's, so that the row is stored where the batch is
  kinds     smallint[] not null,
  keys      uuid[]     not null,
  hours     integer[]  not null,
  dims      smallint[] not null,
  counts    integer[]  not null,
  sizes     bigint[]   not null,
  minutes   smallint[] not null, -- of the hour; 0 for kinds that are not counted by the minute
  primary key (batch, source_id)
) with (
  -- As `delivery_work`.
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_threshold = 2000000000
);

create table rollup_hour (
  kind    smallint not null,
  key     uuid     not null,
  hour    integer  not null,
  dim     smallint not null,
  n       bigint   not null,
  size    bigint   not null,
  minutes integer[],         -- how many in each of the hour's 60 minutes; null for kinds that are not counted so
  primary key (kind, key, hour, dim)
) with (fillfactor = 70);
-- An hour's sums of all keys. Neither counts nor sizes are in it, so adding to a sum stays cheap.
create index rollup_hour_by_hour on rollup_hour (hour);

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


-- ALERTS (features.alerts). Which deliveries failed is read from the log of commits, so no outcome waits for a row here.
-- A `target` is a mailbox, a chat or a URL, from a hash of it.

-- Up to which commit failures were taken over, and which process does it.
create table alert_watch (
  one_row     boolean     primary key default true check (one_row),
  holder      uuid,
  lease_until timestamptz,
  seen        text        not null, -- a pg_snapshot
  moved_at    timestamptz not null
);
insert into alert_watch (seen, moved_at) values (pg_current_snapshot()::text, now());

-- What a target was told about a destination, and when it is told more.
create table alert_incident (
  target         uuid        not null,
  destination_id uuid        not null,
  workspace_id   uuid        not null,
  messages       integer     not null default 0, -- since the destination worked last
  last_at        timestamptz,                    -- of the last message
  is_open        boolean     not null default false, -- the circuit
  is_open_told   boolean     not null default false,
  is_unreadable  boolean     not null default false, -- settings of the destination
  due_at         timestamptz,                    -- null: nothing is to be told
  not_before     timestamptz,                    -- an allowance is used up, or a message could not be composed
  primary key (target, destination_id)
);
-- Workspaces take turns; each turn takes what is due first.
create index alert_incident_turn on alert_incident (workspace_id, due_at) where due_at is not null;
create index alert_incident_destination on alert_incident (destination_id);
create index alert_incident_workspace on alert_incident (workspace_id);
create index alert_incident_unreadable on alert_incident (target, destination_id) where is_unreadable;

-- What is not told yet. `kind` is NewsKind.
create table alert_news (
  target         uuid        not null,
  destination_id uuid        not null,
  source_id      uuid        not null, -- for kinds that concern no source: the destination's id
  kind           smallint    not null,
  n              bigint      not null,
  sample         uuid,                 -- one of the deliveries
  since          timestamptz not null,
  lost           bigint      not null default 0, -- deliveries in a message that was given up; told with the next one
  primary key (target, destination_id, source_id, kind)
);
create index alert_news_lost on alert_news (target, destination_id) where lost > 0;

-- Messages that were composed and are not sent yet.
create table alert_message (
  id             uuid        primary key, -- names the message to its receiver
  workspace_id   uuid        not null,
  target         uuid        not null,
  channel        text        not null,
  subject        text        not null,
  body           text        not null,
  details        text        not null, -- JSON for webhooks
  tries          integer     not null default 0,
  try_at         timestamptz not null, -- while it is being sent: when another node may try
  destination_id uuid        not null,
  news           jsonb       not null  -- the counts that it reports, to be kept if it is given up
);
create index alert_message_due on alert_message (try_at);
create index alert_message_target on alert_message (target);

-- How many messages a workspace sent. `mail`, `messenger` and `webhook` are limited in any hour, `test` in a minute.
create table alert_use (
  workspace_id uuid      not null,
  kind         text      not null check (kind in ('mail', 'messenger', 'webhook', 'test')),
  period       bigint    not null,              -- the newest minute
  n            integer   not null,              -- messages of `test` in that minute
  counts       integer[] not null default '{}', -- of the other kinds: messages of each minute, newest first
  primary key (workspace_id, kind)
) with (fillfactor = 50);

-- How many mails all workspaces together sent to one mailbox.
create table alert_mailbox (
  mailbox      uuid      primary key,           -- from a hash of the address
  workspace_id uuid      not null,              -- the first that wrote to it; mails of others leave its half alone
  period       bigint    not null,              -- the newest minute
  counts       integer[] not null default '{}', -- mails of each minute, newest first
  other_counts integer[] not null default '{}'  -- of all workspaces but the first
);
create index alert_mailbox_period on alert_mailbox (period);
create index alert_mailbox_workspace on alert_mailbox (workspace_id);


-- DICTIONARIES (engine.compression). What the payloads of a source's events are compressed with. Committed before the
-- first event that names it, removed after the last one.

create table payload_dictionary (
  number      integer     generated always as identity primary key,
  source_id   uuid        not null,
  created_at  timestamptz not null default now(),
  replaced_at timestamptz,          -- from then on no new event is compressed with it
  last_event  uuid,                 -- no event with a higher id names it; known a day after it was replaced
  checksum    bytea       not null, -- SHA-256 of `bytes`
  bytes       bytea       not null
);
-- PostgreSQL does not compress dictionaries, which would gain nothing.
alter table payload_dictionary alter column bytes set storage external;
create unique index payload_dictionary_current on payload_dictionary (source_id) where replaced_at is null;
create index payload_dictionary_source on payload_dictionary (source_id);


-- ACCOUNTS. Who may do what. Sessions, invites, password resets and API keys are found by the SHA-256 of their secret:
-- a copy of the database opens nothing.

-- The plans of the catalogue that a server started with last (account.plan). A workspace whose plan is no longer in the
-- catalogue keeps the limits that it has here.
create table plan (
  name       text        primary key,
  definition text        not null, -- JSON, as an item of the catalogue
  updated_at timestamptz not null
);

-- A tenant (account.workspace). A deleted one stays as a row without content until its data is erased.
create table workspace (
  id         uuid        primary key,
  name       text        not null,
  plan       text        not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version    bigint      not null,
  deleted_at timestamptz,
  erased_at  timestamptz check (erased_at is null or deleted_at is not null)
);
create index workspace_to_erase on workspace (deleted_at) where deleted_at is not null and erased_at is null;

-- A person (account.access).
create table account (
  id            uuid        primary key,
  email         text        not null unique, -- in lower case
  name          text        not null,
  password_hash text        not null,
  created_at    timestamptz not null
);

-- Who belongs to which workspace (account.workspace).
create table member (
  workspace_id uuid        not null references workspace,
  account_id   uuid        not null references account,
  role         text        not null check (role in ('owner', 'admin', 'member')),
  created_at   timestamptz not null,
  primary key (workspace_id, account_id)
);
create index member_account on member (account_id);

-- Invites that nobody has accepted yet (account.workspace).
create table invite (
  id           uuid        primary key,
  workspace_id uuid        not null references workspace,
  email        text        not null,
  role         text        not null check (role in ('admin', 'member')),
  token_hash   bytea       not null unique,
  created_by   uuid        not null references account,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  unique (workspace_id, email)
);
create index invite_creator on invite (created_by);
create index invite_expiry on invite (expires_at);

-- Keys for the API (account.access).
create table api_key (
  id           uuid        primary key,
  workspace_id uuid        not null references workspace,
  created_by   uuid        references account, -- null: the account is gone, or the operator made the key
  name         text        not null,
  prefix       text        not null,           -- the key's beginning, which the API shows
  hash         bytea       not null unique,
  created_at   timestamptz not null,
  last_used_at timestamptz,
  access       text        not null default 'full' check (access in ('full', 'read')),
  expires_at   timestamptz
);
create index api_key_workspace on api_key (workspace_id);
create index api_key_creator on api_key (created_by);

-- People who are signed in (account.access).
create table session (
  id           uuid        primary key,
  account_id   uuid        not null references account,
  token_hash   bytea       not null unique,
  workspace_id uuid        references workspace, -- that the person looks at; null after leaving the last one
  created_at   timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at   timestamptz not null,
  address      text        not null,
  user_agent   text        not null
);
create index session_account on session (account_id);
create index session_expiry on session (expires_at);

-- The networks from which people signed in (account.access). While passwords are guessed, people from these networks are
-- served first. Ending a session or resetting a password leaves them.
create table known_network (
  account_id   uuid        not null references account,
  network      text        not null, -- an IPv4 address, or the first 64 bits of an IPv6 address
  last_used_at timestamptz not null,
  primary key (account_id, network)
);

-- Links for a new password (account.people).
create table password_reset (
  account_id uuid        primary key references account,
  token_hash bytea       not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index password_reset_expiry on password_reset (expires_at);


-- KEPT ANSWERS (account.idempotency). Answers of requests with an Idempotency-Key, in the transaction of what the request
-- made, for a day.

create table idempotency_key (
  owner_id   uuid        not null, -- a workspace, or the account that creates a workspace
  key        text collate "C" not null check (length(key) between 1 and 255),
  answer     bytea       not null, -- sealed
  created_at timestamptz not null,
  primary key (owner_id, key)
);
create index idempotency_key_created_at on idempotency_key (created_at);


-- LOG OF CHANGES (account.changes). Who changed what, when and from where, in the transaction of the change. Fields are
-- named, their values are not kept. No foreign keys: the log outlives what it names.

create table audit_log (
  id           uuid primary key, -- has the time of the change
  workspace_id uuid not null,
  actor_kind   text not null check (actor_kind in ('user', 'key', 'operator')),
  actor_id     uuid,             -- an account or an API key
  actor_name   text not null,    -- of a key, which may be deleted since; empty for a person, whose account has the name
  address      text not null,    -- of the client; empty for a command
  action       text not null,    -- such as source.updated
  target_id    uuid not null,
  target_name  text not null,
  fields       text not null,    -- names, separated by commas
  check ((actor_kind = 'operator') = (actor_id is null))
);
create index audit_log_list on audit_log (workspace_id, id desc);


-- CONFIGURATION. Ordinary tables with foreign keys. A deleted row stays as long as history refers to it. Each change
-- carries the number that it got from config_version (account.workspace), so that a node reads only what is new.

create table config_version (
  one_row boolean primary key default true check (one_row),
  version bigint  not null
);
insert into config_version (version) values (0);

-- A known text that tells whether a master key is the right one (account.access).
create table sealing_canary (
  one_row boolean primary key default true check (one_row),
  sealed  bytea   not null
);

-- Where webhooks come in (gateway.source). A source is seven days in the trash and is purged then. A purged row is emptied
-- of what its owner wrote, because history and the nodes' memory still name it.
create table source (
  id                   uuid        primary key,
  workspace_id         uuid        not null references workspace,
  name                 text        not null,
  description          text,
  color                text        not null,
  token                text        not null unique, -- of the ingest URL
  status               text        not null check (status in ('active', 'paused')),
  created_at           timestamptz not null,
  updated_at           timestamptz not null,
  trashed_at           timestamptz,
  version              bigint      not null,
  verification         bytea,      -- sealed JSON: how senders prove themselves; null: not at all
  response_status      integer     check (response_status between 100 and 599), -- null: the default response
  response_type        text        check (response_type in ('json', 'text')),
  response_body        text,
  purged_at            timestamptz check (purged_at is null or trashed_at is not null),
  previous_token       text,       -- before the latest rotation; kept so that no other workspace can take it
  previous_token_until timestamptz, -- it is accepted until then
  unique (workspace_id, id),
  constraint source_response_is_whole check (num_nonnulls(response_status, response_type, response_body) in (0, 3)),
  check ((previous_token is null) = (previous_token_until is null))
);
create index source_version on source (version);
create index source_list on source (workspace_id, created_at desc, id desc) where trashed_at is null;
create index source_trash on source (workspace_id, trashed_at desc, id desc)
  where trashed_at is not null and purged_at is null;
create unique index source_previous_token on source (previous_token) where previous_token is not null;
-- A start reads what lives, the purge reads what was deleted: each by an index, however many rows the rest has.
create index source_live on source (id) where purged_at is null;
create index source_trash_age on source (trashed_at) where trashed_at is not null and purged_at is null;
create index source_purged on source (id) where purged_at is not null;

-- Ingest tokens that no source has any more (gateway.source). A sender may still use one, so another workspace must never
-- get it.
create table retired_token (
  token_hash   bytea       primary key, -- SHA-256
  workspace_id uuid        not null references workspace, -- that had it, and may take it again
  retired_at   timestamptz not null
);

-- Where deliveries go (gateway.destination).
create table destination (
  id              uuid        primary key,
  workspace_id    uuid        not null references workspace,
  name            text        not null,
  url             text        not null,
  timeout_ms      integer     not null check (timeout_ms between 1 and 300000),
  auth            bytea       not null, -- sealed JSON
  retry_intervals integer[]   not null check (cardinality(retry_intervals) between 1 and 10), -- seconds
  max_in_flight   integer     not null check (max_in_flight between 1 and 256),
  status          text        not null check (status in ('active', 'paused')),
  revision        uuid        not null, -- the current destination_revision
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  deleted_at      timestamptz,
  version         bigint      not null,
  rate_per_second integer     check (rate_per_second between 1 and 10000), -- null: no limit
  sealed_headers  bytea,                -- sealed JSON of the custom headers, in their order; null: none
  unique (workspace_id, id)
);
create index destination_version on destination (version);
create index destination_list on destination (workspace_id, created_at desc, id desc) where deleted_at is null;
create index destination_live on destination (id) where deleted_at is null;
create index destination_deleted on destination (id) where deleted_at is not null;

-- What a destination was called and where it was when an attempt was made (gateway.destination). Never changed.
create table destination_revision (
  id             uuid        primary key,
  destination_id uuid        not null references destination,
  name           text        not null,
  url            text        not null,
  created_at     timestamptz not null
);
create index destination_revision_order on destination_revision (destination_id, created_at);
create index destination_revision_age on destination_revision (created_at);

-- Which source goes to which destination (gateway.connection).
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
  -- JSON as the user gave it; not jsonb, which would reorder it and rewrite numbers.
  filter         text,
  transformation text,
  foreign key (workspace_id, source_id) references source (workspace_id, id),
  foreign key (workspace_id, destination_id) references destination (workspace_id, id)
);
create index connection_version on connection (version);
create unique index connection_pair on connection (source_id, destination_id) where deleted_at is null;
create index connection_list on connection (workspace_id, created_at desc, id desc) where deleted_at is null;
-- Deleted connections too: a source or a destination is removed after its last connection.
create index connection_source on connection (source_id);
create index connection_destination on connection (destination_id);
create index connection_live on connection (id) where deleted_at is null;
create index connection_deleted on connection (id) where deleted_at is not null;

-- What shaped requests until a change, so that the request of an old attempt can be rebuilt. A row was in force until the
-- change with the number until_version; what is in force now is in the table of its own, whose package writes both.
create table replaced_source (
  source_id         uuid        not null references source on delete cascade,
  until_version     bigint      not null,
  replaced_at       timestamptz not null,
  name              text        not null,
  credential_header text, -- the header with the sender's credential, which is not forwarded
  primary key (source_id, until_version)
);
create index replaced_source_age on replaced_source (replaced_at);

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

-- Where alerts are sent (gateway.alertconfig).
create table alert_config (
  id           uuid        primary key,
  workspace_id uuid        not null references workspace,
  source_id    uuid,                 -- null: the whole workspace
  channel      text        not null check (channel in ('email', 'messenger', 'webhook')),
  config       bytea       not null, -- sealed JSON
  target       uuid        not null, -- channels to the same mailbox, chat or URL have the same
  enabled      boolean     not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  last_sent_at timestamptz,
  last_error   text,                 -- null once a message was sent
  begins_anew  boolean     not null default false, -- enabled since alerts looked last, and no other one to its target was
  foreign key (workspace_id, source_id) references source (workspace_id, id)
);
create index alert_config_list on alert_config (workspace_id, created_at desc, id desc);
create index alert_config_enabled on alert_config (workspace_id, source_id) where enabled;
create index alert_config_target on alert_config (target);
create index alert_config_source on alert_config (source_id) where source_id is not null;
create index alert_config_begins_anew on alert_config (target) where begins_anew;

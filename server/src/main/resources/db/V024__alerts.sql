-- Alerts. Which deliveries failed is read from the log of commits, so no outcome waits for a row of an alert.

-- For each connection and status of a batch: how many deliveries ended so, and one of them. Null in a
-- batch in which nothing failed.
alter table commit_log
  add column failed_connections uuid[],
  add column failed_statuses    smallint[],
  add column failed_counts      integer[],
  add column failed_samples     uuid[];
create index commit_log_failed on commit_log (xid) where failed_connections is not null;

create table alert_config (
  id           uuid        primary key,
  workspace_id uuid        not null references workspace,
  source_id    uuid,                 -- null: the whole workspace
  channel      text        not null check (channel in ('email', 'messenger', 'webhook')),
  config       bytea       not null, -- sealed JSON
  target       uuid        not null, -- from a hash: channels to the same mailbox, chat or URL have the same
  enabled      boolean     not null,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  last_sent_at timestamptz,
  last_error   text,                 -- null once a message was sent
  foreign key (workspace_id, source_id) references source (workspace_id, id)
);
create index alert_config_list on alert_config (workspace_id, created_at desc, id desc);
create index alert_config_enabled on alert_config (workspace_id, source_id) where enabled;
create index alert_config_target on alert_config (target);
create index alert_config_source on alert_config (source_id) where source_id is not null;

-- Up to which commit failures were taken over, and which process does it.
create table alert_watch (
  one_row     boolean     primary key default true check (one_row),
  holder      uuid,
  lease_until timestamptz,
  seen        text        not null, -- a pg_snapshot
  moved_at    timestamptz not null
);
insert into alert_watch (seen, moved_at) values (pg_current_snapshot()::text, now());

-- What was told to a target of a destination, and when it is told more.
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
  primary key (target, destination_id)
);
create index alert_incident_due on alert_incident (due_at) where due_at is not null;
create index alert_incident_destination on alert_incident (destination_id);

-- What is not told yet.
create table alert_news (
  target         uuid        not null,
  destination_id uuid        not null,
  source_id      uuid        not null, -- for kinds that concern no source: the destination's id
  kind           smallint    not null,
  n              bigint      not null,
  sample         uuid,                 -- one of the deliveries
  since          timestamptz not null,
  primary key (target, destination_id, source_id, kind)
);

-- Messages that were composed and are not sent yet.
create table alert_message (
  id           uuid        primary key, -- names the message to its receiver
  workspace_id uuid        not null,
  target       uuid        not null,
  channel      text        not null,
  subject      text        not null,
  body         text        not null,
  details      text        not null, -- JSON for webhooks
  tries        integer     not null default 0,
  try_at       timestamptz not null  -- while it is being sent: when another node may try
);
create index alert_message_due on alert_message (try_at);

-- How much of what is limited a workspace has used.
create table alert_use (
  workspace_id uuid    not null,
  kind         text    not null check (kind in ('mail', 'test')),
  period       bigint  not null, -- hour or minute since 1970
  n            integer not null,
  primary key (workspace_id, kind)
) with (fillfactor = 50);

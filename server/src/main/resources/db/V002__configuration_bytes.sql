-- What each workspace's configuration takes. Triggers keep the sums, so that no statement that
-- writes these tables can forget to count, and a column that is added later counts from the start.
set local statement_timeout = 0;
set local lock_timeout = 0;

create table configuration_use (
  workspace_id  uuid   primary key,
  bytes          bigint not null, -- of what is in force, with sources in the trash
  deleted_bytes  bigint not null, -- of what was deleted and is still kept
  replaced_bytes bigint not null, -- of replaced settings, names and URLs that are still kept
  written_bytes  bigint not null, -- of all rows written since this table exists; it never shrinks
  row_count      bigint not null  -- of what is in force
) with (fillfactor = 50);

-- Settings of versions before this one may have been dropped, so that what was sent under them is
-- not known any more.
alter table source      add column history_from bigint not null default 0;
alter table destination add column history_from bigint not null default 0;
alter table connection  add column history_from bigint not null default 0;

alter table destination_revision add column workspace_id uuid;
update destination_revision as revision
   set workspace_id = destination.workspace_id
  from destination
 where destination.id = revision.destination_id;
alter table destination_revision alter column workspace_id set not null;

alter table replaced_destination add column workspace_id uuid;
update replaced_destination as replaced
   set workspace_id = destination.workspace_id
  from destination
 where destination.id = replaced.destination_id;
alter table replaced_destination alter column workspace_id set not null;

alter table replaced_connection add column workspace_id uuid;
update replaced_connection as replaced
   set workspace_id = connection.workspace_id
  from connection
 where connection.id = replaced.connection_id;
alter table replaced_connection alter column workspace_id set not null;

alter table replaced_source add column workspace_id uuid;
update replaced_source as replaced
   set workspace_id = source.workspace_id
  from source
 where source.id = replaced.source_id;
alter table replaced_source alter column workspace_id set not null;

-- A row counts the bytes of all its columns, less 200 for what each row has, and at least 64.
-- The size does not depend on how PostgreSQL compresses or moves a value. The argument says which
-- sum a row belongs to. Rows are counted once for each statement, in the order of their workspaces,
-- so that two statements do not wait for each other.
create function count_configuration() returns trigger language plpgsql as $$
declare
  rows_of constant text :=
    'select workspace_id, %2$s, greatest(octet_length(record_send(counted)) - 200, 64), %3$s
       from %1$s as counted';
  changed text;
begin
  changed := case tg_op
    when 'INSERT' then format(rows_of, 'new_rows', tg_argv[0], 1)
    when 'DELETE' then format(rows_of, 'old_rows', tg_argv[0], -1)
    else format(rows_of, 'new_rows', tg_argv[0], 1) || ' union all '
         || format(rows_of, 'old_rows', tg_argv[0], -1)
  end;
  execute
    'insert into configuration_use as used (workspace_id, bytes, deleted_bytes, replaced_bytes,
                                            written_bytes, row_count)
     select workspace_id, coalesce(sum(n * size) filter (where part = ''live''), 0),
            coalesce(sum(n * size) filter (where part = ''deleted''), 0),
            coalesce(sum(n * size) filter (where part = ''replaced''), 0),
            coalesce(sum(size) filter (where n > 0), 0),
            coalesce(sum(n) filter (where part = ''live''), 0)
       from (' || changed || ') as changed (workspace_id, part, size, n)
      group by workspace_id
      order by workspace_id
         on conflict (workspace_id)
         do update set bytes = used.bytes + excluded.bytes,
                       deleted_bytes = used.deleted_bytes + excluded.deleted_bytes,
                       replaced_bytes = used.replaced_bytes + excluded.replaced_bytes,
                       written_bytes = used.written_bytes + excluded.written_bytes,
                       row_count = used.row_count + excluded.row_count';
  return null;
end
$$;

-- Each table is counted once now, and by three triggers from now on. A trigger with a transition
-- table is for one kind of statement only.
do $$
declare
  live_until_purged  constant text := 'case when purged_at is null then ''live'' else ''deleted'' end';
  live_until_deleted constant text := 'case when deleted_at is null then ''live'' else ''deleted'' end';
  counted record;
begin
  for counted in
    select *
      from (values ('source', live_until_purged),
                   ('destination', live_until_deleted),
                   ('connection', live_until_deleted),
                   ('alert_config', '''live'''),
                   ('destination_revision', '''replaced'''),
                   ('replaced_destination', '''replaced'''),
                   ('replaced_connection', '''replaced'''),
                   ('replaced_source', '''replaced''')) as kind (name, part)
  loop
    execute format(
      'insert into configuration_use as used (workspace_id, bytes, deleted_bytes, replaced_bytes,
                                              written_bytes, row_count)
       select workspace_id, coalesce(sum(size) filter (where part = ''live''), 0),
              coalesce(sum(size) filter (where part = ''deleted''), 0),
              coalesce(sum(size) filter (where part = ''replaced''), 0),
              0, count(*) filter (where part = ''live'')
         from (select workspace_id, %2$s as part,
                      greatest(octet_length(record_send(counted)) - 200, 64) as size
                 from %1$I as counted) as present
        group by workspace_id
           on conflict (workspace_id)
           do update set bytes = used.bytes + excluded.bytes,
                         deleted_bytes = used.deleted_bytes + excluded.deleted_bytes,
                         replaced_bytes = used.replaced_bytes + excluded.replaced_bytes,
                         row_count = used.row_count + excluded.row_count',
      counted.name, counted.part);
    execute format(
      'create trigger count_inserted after insert on %1$I
         referencing new table as new_rows for each statement
         execute function count_configuration(%2$L)',
      counted.name, counted.part);
    execute format(
      'create trigger count_updated after update on %1$I
         referencing old table as old_rows new table as new_rows for each statement
         execute function count_configuration(%2$L)',
      counted.name, counted.part);
    execute format(
      'create trigger count_deleted after delete on %1$I
         referencing old table as old_rows for each statement
         execute function count_configuration(%2$L)',
      counted.name, counted.part);
  end loop;
end
$$;

create index replaced_destination_workspace on replaced_destination (workspace_id, replaced_at);
create index replaced_connection_workspace on replaced_connection (workspace_id, replaced_at);
create index replaced_source_workspace on replaced_source (workspace_id, replaced_at);
create index destination_revision_workspace on destination_revision (workspace_id, created_at);
create index retired_token_workspace on retired_token (workspace_id, retired_at);
create index replay_job_unfinished on replay_job (workspace_id) where finished_at is null;

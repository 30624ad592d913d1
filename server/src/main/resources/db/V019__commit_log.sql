-- Which events and outcomes each commit made visible, so that streams miss none: ids are not in the
-- order of commits. One row for each batch, in the batch's own transaction; after some minutes, one
-- row for all batches of a minute.

create table commit_log (
  xid           bigint      not null, -- of the batch; of a compacted row: the last that it covers
  overlap       bigint      not null, -- how many ids of transactions back another one may still have run
  events_from   bigint,               -- arrival of the batch's earliest event, ms since 1970
  outcomes_from uuid,                 -- first and last delivery that ended, if their ids are close
  outcomes_to   uuid,
  outcomes      uuid[],               -- or each of them, if not
  compacted_at  timestamptz           -- null: the row of one batch
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_threshold = 2000000000
);
create index commit_log_xid on commit_log (xid);

-- Commits before this one are not in the log.
insert into commit_log (xid, overlap, compacted_at)
values (pg_current_xact_id()::text::bigint, 0, now());

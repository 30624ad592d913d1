-- The live streams of all nodes, so that a plan's limit holds over all of them together.

create table open_stream (
  id           uuid        primary key,
  workspace_id uuid        not null,
  epoch        bigint      not null, -- of the node that sends the stream; counts while that node is live
  opened_at    timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index open_stream_workspace on open_stream (workspace_id);

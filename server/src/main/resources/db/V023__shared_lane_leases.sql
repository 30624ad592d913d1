-- Nodes lease lanes by workspace, and look for those they have leased and that were woken since.

-- However long it takes, and whoever has to be waited for.
set local statement_timeout = 0;
set local lock_timeout = 0;

-- The nil id stands for the workspace of a source that is purged.
alter table lane
  add column workspace_id uuid not null default '00000000-0000-0000-0000-000000000000';
update lane
   set workspace_id = source.workspace_id
  from source
 where source.id = lane.source_id;

drop index lane_owner;
create index lane_owner on lane (owner, wake_at) where owner is not null;

-- A source stays seven days in the trash and is purged then. The row stays, emptied of what its owner
-- wrote, because history and the nodes' memory still name it.

alter table source add column purged_at timestamptz check (purged_at is null or trashed_at is not null);

create index source_trash on source (workspace_id, trashed_at desc, id desc)
  where trashed_at is not null and purged_at is null;

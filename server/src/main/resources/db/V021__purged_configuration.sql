-- The start reads what lives, a change reads what it is about, and the purge reads what was deleted:
-- each by an index, however much the tables hold of the rest.

-- However long it takes, and whoever has to be waited for.
set local statement_timeout = 0;
set local lock_timeout = 0;

create index source_live on source (id) where purged_at is null;
create index destination_live on destination (id) where deleted_at is null;
create index connection_live on connection (id) where deleted_at is null;

create index source_trash_age on source (trashed_at) where trashed_at is not null and purged_at is null;
create index source_purged on source (id) where purged_at is not null;
create index destination_deleted on destination (id) where deleted_at is not null;
create index connection_deleted on connection (id) where deleted_at is not null;

-- Deleted connections too: a source or a destination is removed after its last connection.
create index connection_source on connection (source_id);
drop index connection_destination;
create index connection_destination on connection (destination_id);
create index connection_list on connection (workspace_id, created_at desc, id desc) where deleted_at is null;
create index destination_revision_order on destination_revision (destination_id, created_at);
create index destination_revision_age on destination_revision (created_at);

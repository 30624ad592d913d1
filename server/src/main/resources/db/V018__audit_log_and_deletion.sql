-- Who changed what, when and from where. Written in the transaction of the change itself. Fields are named, their values
-- are not kept. The id is a UUIDv7 and has the time of the change.
create table audit_log (
  id           uuid primary key,
  workspace_id uuid not null,
  actor_kind   text not null check (actor_kind in ('user', 'key', 'operator')),
  actor_id     uuid, -- an account or an API key
  actor_name   text not null, -- of a key, which may be deleted since; empty for a person, whose account has the name
  address      text not null, -- of the client; empty for a command
  action       text not null, -- such as source.updated
  target_id    uuid not null,
  target_name  text not null,
  fields       text not null, -- names, separated by commas
  check ((actor_kind = 'operator') = (actor_id is null))
);
create index audit_log_list on audit_log (workspace_id, id desc);

-- A deleted workspace stays as a row without content until its data is erased.
alter table workspace
  add column deleted_at timestamptz,
  add column erased_at  timestamptz check (erased_at is null or deleted_at is not null);
create index workspace_to_erase on workspace (deleted_at) where deleted_at is not null and erased_at is null;

-- Ingest tokens that no source has any more. A sender may still use one, so another workspace must never get it.

-- However long it takes, and whoever has to be waited for.
set local statement_timeout = 0;
set local lock_timeout = 0;

create table retired_token (
  token_hash   bytea       primary key, -- SHA-256
  workspace_id uuid        not null references workspace, -- that had it, and may take it again
  retired_at   timestamptz not null
);

-- Sources that were purged before kept their tokens until their rows were removed.
insert into retired_token
select sha256(convert_to(ended.token, 'UTF8')), workspace_id, purged_at
  from source, unnest(array[source.token, source.previous_token]) as ended (token)
 where purged_at is not null and source.token <> 'deleted-' || id and ended.token is not null
    on conflict do nothing;

update source
   set token = 'deleted-' || id, previous_token = null, previous_token_until = null
 where purged_at is not null and token <> 'deleted-' || id;

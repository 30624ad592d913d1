-- Control: bulk resends that are too large for one request, worked off chunk by chunk by the node that
-- holds the lease.

create table replay_job (
  id            uuid        primary key,
  workspace_id  uuid        not null,
  source_id     uuid        not null,
  connection_id uuid        not null,
  statuses      integer[]   not null,
  since         timestamptz,          -- as asked for, null: without a bound
  until         timestamptz,
  status        text        not null check (status in ('running', 'completed', 'cancelled', 'failed')),
  planned       bigint      not null,
  created       bigint      not null default 0,
  skipped       bigint      not null default 0,
  reason        text,
  created_at    timestamptz not null, -- its deliveries have the same, by which it knows them
  updated_at    timestamptz not null,
  finished_at   timestamptz,
  after_id      uuid        not null, -- ids up to here are done
  to_id         uuid        not null, -- the last that it is about
  owner         uuid,                 -- names a process, which may have made more than is counted
  lease_until   timestamptz,
  check ((status = 'running') = (finished_at is null))
) with (fillfactor = 50);

create index replay_job_list on replay_job (workspace_id, created_at desc, id desc);
create index replay_job_open on replay_job (lease_until) where status = 'running' or owner is not null;
create index replay_job_finished on replay_job (finished_at) where finished_at is not null;

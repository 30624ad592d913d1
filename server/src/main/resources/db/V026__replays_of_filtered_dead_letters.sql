-- A replay may be about what a filter of the dead letters finds, on several connections. It works on one connection at a
-- time; source_id, connection_id and after_id are those of the present one.
alter table replay_job
  add column error_code      smallint,    -- only dead letters that ended so
  add column response_status smallint,
  add column ended_before    timestamptz, -- dead letters of this time or later are not resent; null: no filter
  add column connections     uuid[],      -- all that the replay is about; null: connection_id alone
  add column next_connections uuid[] not null default '{}', -- those after the present one, with their sources and positions
  add column next_sources    uuid[] not null default '{}',
  add column next_after      uuid[] not null default '{}',
  add column max_created     bigint,      -- ends after so many resends
  add column per_second      integer,
  drop constraint replay_job_status_check,
  add constraint replay_job_status_check
    check (status in ('running', 'paused', 'completed', 'cancelled', 'failed')),
  drop constraint replay_job_check,
  add constraint replay_job_check check ((status in ('running', 'paused')) = (finished_at is null));

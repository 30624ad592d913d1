-- A bulk resend whose counting would have taken too long becomes a job before it is counted whole.

alter table replay_job add column is_exact boolean not null default true; -- false: planned is a least number

-- The operator suspends a workspace, which then takes no webhooks and sends nothing. The reason is
-- shown to its members; it may be empty.
alter table workspace add column suspended_at timestamptz;
alter table workspace add column suspension_reason text not null default '';
create index workspace_suspended on workspace (id) where suspended_at is not null;

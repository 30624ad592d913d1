-- What one workspace can make alerts do is bounded: its incidents are counted, and workspaces take turns.

-- Nothing is told before this time: an allowance is used up, or a message could not be composed.
alter table alert_incident add column not_before timestamptz;
drop index alert_incident_due;
create index alert_incident_turn on alert_incident (workspace_id, due_at) where due_at is not null;
create index alert_incident_workspace on alert_incident (workspace_id);
create index alert_incident_unreadable on alert_incident (target, destination_id) where is_unreadable;

create index alert_message_target on alert_message (target);

alter table alert_use drop constraint alert_use_kind_check;
alter table alert_use add check (kind in ('mail', 'messenger', 'webhook', 'test'));

-- Whether the channel was enabled since alerts looked last, and no other one to its target was.
alter table alert_config add column begins_anew boolean not null default false;
create index alert_config_begins_anew on alert_config (target) where begins_anew;

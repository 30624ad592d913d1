-- What all workspaces together may mail to one mailbox is bounded.

create table alert_mailbox (
  mailbox      uuid    primary key, -- from a hash of the address
  workspace_id uuid    not null,    -- the first that wrote to it; the mails of others leave its own alone
  period       bigint  not null,    -- hour since 1970 of the last mail
  n            integer not null     -- mails of the other workspaces in that hour
);
create index alert_mailbox_period on alert_mailbox (period);
create index alert_mailbox_workspace on alert_mailbox (workspace_id);

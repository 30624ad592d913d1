-- The mailboxes of alert channels, and whether their owners want alerts (gateway.alertconfig). A mailbox is confirmed for
-- one workspace: its target is a hash of both.
create table mailbox_confirmation (
  target       uuid        primary key,
  workspace_id uuid        not null,
  mailbox      uuid        not null, -- from a hash of the address, the same in all workspaces
  token_hash   bytea,                -- SHA-256 of what the mailed link has; null: nobody was asked, or it was used
  asked_at     timestamptz,          -- when its owner was asked last
  confirmed_at timestamptz           -- null: it gets no alerts
);
create index mailbox_confirmation_mailbox on mailbox_confirmation (mailbox);
create unique index mailbox_confirmation_token on mailbox_confirmation (token_hash) where token_hash is not null;

-- Mailboxes that got alerts until now go on getting them.
insert into mailbox_confirmation (target, workspace_id, mailbox, confirmed_at)
select distinct on (target) target, workspace_id, target, now() from alert_config where channel = 'email';

drop table alert_mailbox;

-- How many messages a workspace sent in one period. `period` is an hour, and a minute for `test`.
delete from alert_use;
alter table alert_use drop column counts;

-- The limits of alerts hold in any hour, not in hours of the clock. What a message reported is kept
-- until the message is sent.

-- For each of the last minutes, newest first, how many messages there were. "period" is the newest.
alter table alert_use add column counts integer[] not null default '{}';
update alert_use set period = period * 60 + 59, counts = array[n], n = 0 where kind <> 'test';

alter table alert_mailbox
  add column counts       integer[] not null default '{}', -- of all workspaces
  add column other_counts integer[] not null default '{}'; -- of all but the first
update alert_mailbox set period = period * 60 + 59, counts = array[n], other_counts = array[n];
alter table alert_mailbox drop column n;

-- What a message reports, to be kept if it is given up.
alter table alert_message
  add column destination_id uuid,
  add column news           jsonb;

-- How many of the deliveries were in a message that was given up. They are told with the next one.
alter table alert_news add column lost bigint not null default 0;
create index alert_news_lost on alert_news (target, destination_id) where lost > 0;

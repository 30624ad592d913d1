-- What leaves when its retention is over: which process sees to it, and of what was told that it would.

create table retention (
  one_row     boolean     primary key default true check (one_row),
  holder      uuid,
  lease_until timestamptz
);
insert into retention default values;

-- Each workspace's deliveries that were told of before they end unsent. A workspace whose days changed
-- begins anew.
create table retention_notice (
  workspace_id uuid        primary key,
  days         integer     not null,
  told_to      timestamptz not null, -- of events that came in before that
  looked_at    timestamptz not null  -- and of resends made before that
);

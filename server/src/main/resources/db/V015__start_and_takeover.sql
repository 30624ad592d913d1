-- Starting, taking over and purging read the rows they are about, however many the tables hold.

-- However long it takes, and whoever has to be waited for.
set local statement_timeout = 0;
set local lock_timeout = 0;

-- What a node owns. Rows that wait, which may be a hundred million, are not in these indexes.
create index delivery_work_owner on delivery_work (owner) where owner is not null;
create index lane_owner on lane (owner) where owner is not null;

-- The newest time by which decisions were made that cannot be undone.
create table clock (
  one_row    boolean     primary key default true check (one_row),
  settled_at timestamptz
);
insert into clock default values;

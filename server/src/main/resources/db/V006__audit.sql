-- The audit's own row: how far it got, which process does it, and how much it ever found.

create table audit (
  one_row     boolean     primary key default true check (one_row),
  checked_to  timestamptz,          -- what came in earlier is checked; null before the first hour
  holder      uuid,
  lease_until timestamptz,
  violations  bigint      not null default 0
);
insert into audit default values;

-- An hour's sums of all keys. Neither counts nor sizes stand in it, so adding to a sum stays cheap.
create index rollup_hour_by_hour on rollup_hour (hour);

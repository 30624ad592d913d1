-- Lists count events by minute, and find the few that were checked without reading the many.

-- However long it takes, and whoever has to be waited for.
set local statement_timeout = 0;
set local lock_timeout = 0;

-- In the order in which a server that still runs locks them: events first, then the ledger.
lock table event in share mode;

-- What the ledger holds is folded first, so that each row from here on knows its minutes. A server of
-- an older version that still runs is refused with its next event: it would write none.
lock table ledger in access exclusive mode;

with folded as (
  delete from ledger returning kinds, keys, hours, dims, counts, sizes),
sums as (
  select kind, key, hour, dim, sum(n)::bigint as n, sum(size)::bigint as size
    from folded, unnest(kinds, keys, hours, dims, counts, sizes)
           as entry (kind, key, hour, dim, n, size)
   group by kind, key, hour, dim),
hours as (
  insert into rollup_hour (kind, key, hour, dim, n, size)
  select kind, key, hour, dim, n, size from sums
  on conflict (kind, key, hour, dim)
     do update set n = rollup_hour.n + excluded.n, size = rollup_hour.size + excluded.size),
days as (
  insert into rollup_day (kind, key, day, dim, n, size)
  select kind, key, hour / 24, dim, sum(n), sum(size) from sums
   group by kind, key, hour / 24, dim
  on conflict (kind, key, day, dim)
     do update set n = rollup_day.n + excluded.n, size = rollup_day.size + excluded.size)
insert into total (kind, key, dim, n, size)
select kind, key, dim, sum(n), sum(size) from sums
 group by kind, key, dim
on conflict (kind, key, dim)
   do update set n = total.n + excluded.n, size = total.size + excluded.size;

alter table ledger add column minutes smallint[] not null; -- of the hour; 0 where kind is not 1

-- Kind 1: how many came in each of the hour's 60 minutes. Null for the other kinds.
alter table rollup_hour add column minutes integer[];

-- The hours that there are already: counted once from the events themselves.
with counted as (
  select source_id, verification,
         ('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 60000 as minute,
         count(*)::integer as n
    from event
   group by 1, 2, 3),
hours as (
  select source_id, verification, (minute / 60)::integer as hour,
         array_agg((minute % 60)::integer) as at, array_agg(n) as ns
    from counted
   group by 1, 2, 3)
update rollup_hour
   set minutes = array(select coalesce(ns[array_position(at, m)], 0)
                         from generate_series(0, 59) as m order by m)
  from hours
 where kind = 1 and key = source_id and rollup_hour.hour = hours.hour and dim = verification;

-- Events that were verified or failed, for lists of those. Events that need no verification, which
-- are all those of their source, cost nothing here.
create index event_checked on event (source_id, verification, id) where verification <> 3;

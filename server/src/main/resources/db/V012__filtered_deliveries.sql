-- Deliveries that a filter kept back are counted as outcomes are, and found without reading the
-- events that nobody filtered.

-- However long it takes, and whoever has to be waited for.
set local statement_timeout = 0;
set local lock_timeout = 0;

lock table event in share mode;

-- An event that no filter kept from a connection costs nothing here.
create index event_filtered on event (source_id, id) where filtered is not null;

-- Those that there are already, as ingest counts them from now on: kind 2, dim 6.
create temporary table filtered_hour on commit drop as
  select connection_id,
         (('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 3600000)::integer as hour,
         count(*) as n
    from event, unnest(filtered) as connection_id
   where filtered is not null
   group by 1, 2;

insert into rollup_hour (kind, key, hour, dim, n, size)
select 2, connection_id, hour, 6, n, 0 from filtered_hour;

insert into rollup_day (kind, key, day, dim, n, size)
select 2, connection_id, hour / 24, 6, sum(n), 0 from filtered_hour group by connection_id, hour / 24;

insert into total (kind, key, dim, n, size)
select 2, connection_id, 6, sum(n), 0 from filtered_hour group by connection_id;

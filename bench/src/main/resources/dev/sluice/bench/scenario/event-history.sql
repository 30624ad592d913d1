-- insert_events
insert into event (id, source_id, method, verification, fanout, filtered, body_size, content_type,
                   headers, body)
select (lpad(to_hex(?::bigint + (?::bigint * at) / ?::bigint), 12, '0') || '7'
          || lpad(to_hex(at & 4095), 3, '0') || '8' || substr(hash, 1, 12) || '000')::uuid,
       (?::uuid[])[1 + at % ?],
       'POST',
       case when chance < ? then 1 when chance < 2 * ? then 2 else 3 end,
       case when hash < ? then 1 else ? end,
       case when hash < ? then array[(?::uuid[])[1 + at % ?]] end,
       100, 'application/json',
       convert_to(E'Content-Type: application/json\r\nUser-Agent: bench\r\n', 'UTF8'),
       convert_to('{"n":"' || rpad(hash, 92, 'x') || '"}', 'UTF8')
  from (select at, md5(at::text) as hash,
               ('x' || substr(md5(at || 'chance'), 1, 7))::bit(28)::integer % 1000000 as chance
          from generate_series(?::bigint, ?::bigint) as at) as numbered

-- insert_deliveries
insert into delivery (id, finished_at, attempted_at, source_id, connection_id, revision,
                      latency_ms, status, trigger, attempts, response_status, error_code)
select (substr(chosen.id::text, 1, 33) || lpad(to_hex(connection.place), 3, '0'))::uuid, now(), now(),
       chosen.source_id, connection.id, destination.revision, 12,
       case when chance = 0 then 5 when chance < 10 then 4 else 3 end, 1, 1,
       case when chance < 3 then null when chance < 6 then 503 when chance < 10 then 410 else 200 end,
       case when chance < 3 then chance + 1 when chance < 10 then 9 end
  from (select id, source_id, ('x' || substr(md5(id::text), 1, 7))::bit(28)::integer %% %d as chance
          from %s
         where filtered is null) as chosen
  join (select id, source_id, destination_id, row_number() over (partition by source_id order by id) as place
          from connection) as connection
    on connection.source_id = chosen.source_id
  join destination on destination.id = connection.destination_id
 where chance < 20

-- insert_work
insert into delivery_work (id, next_at, source_id, connection_id, trigger, attempts)
select (substr(chosen.id::text, 1, 33) || '001')::uuid, now() + interval '1 day', chosen.source_id,
       connection.id, 1, 0
  from (select id, source_id, ('x' || substr(md5(id::text), 1, 7))::bit(28)::integer %% 100 as chance
          from %s
         where filtered is null) as chosen
  join connection on connection.source_id = chosen.source_id
 where chance = 20

-- insert_dismissals
insert into dismissal (source_id, delivery_id, dismissed_at)
select source_id, id, now()
  from delivery
 where status in (4, 5) and substr(md5(id::text), 32, 1) < '8'

-- insert_resends
insert into delivery (id, created_at, finished_at, attempted_at, source_id, connection_id, revision,
                      latency_ms, status, trigger, attempts, response_status)
select (substr(id::text, 1, 33) || '400')::uuid, now(), now(), now(), source_id, connection_id,
       revision, 12, 3, 2, 1, 200
  from delivery
 where status in (4, 5) and substr(md5(id::text), 32, 1) = '8'

-- count_events_by_hour
insert into rollup_hour (kind, key, hour, dim, n, size, minutes)
select 1, source_id, hour, verification, sum(n), sum(size),
       array(select coalesce((array_agg(n))[array_position(array_agg(minute), m)], 0)
               from generate_series(0, 59) as m order by m)
  from (select source_id, verification, (since / 60)::integer as hour,
               (since % 60)::integer as minute, count(*)::integer as n, sum(body_size) as size
          from (select source_id, verification, body_size,
                       ('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 60000 as since
                  from event) as timed
         group by source_id, verification, since) as by_minute
 group by source_id, hour, verification

-- count_deliveries_by_hour
insert into rollup_hour (kind, key, hour, dim, n, size)
select kind, connection_id, hour, dim, count(*), 0
  from (select connection_id, status, trigger,
               (('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 3600000)::integer as hour
          from delivery
        union all
        select connection_id, null, trigger,
               (('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 3600000)::integer
          from delivery_work
        union all
        select unnest(filtered), 6, null,
               (('x' || translate(substr(id::text, 1, 13), '-', ''))::bit(48)::bigint / 3600000)::integer
          from event
         where filtered is not null) as timed,
       lateral (values (2, status), (3, trigger)) as counted (kind, dim)
 where dim is not null
 group by kind, connection_id, hour, dim

-- count_by_day
insert into rollup_day (kind, key, day, dim, n, size)
select kind, key, hour / 24, dim, sum(n), sum(size) from rollup_hour group by 1, 2, 3, 4

-- count_totals
insert into total (kind, key, dim, n, size)
select kind, key, dim, sum(n), sum(size) from rollup_day group by 1, 2, 3


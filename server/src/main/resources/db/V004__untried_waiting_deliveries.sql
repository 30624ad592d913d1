-- A probe asks with a delivery that has not failed: the newest or the oldest without an attempt, or else the one
-- with the fewest attempts. Each waiting row is in one of these indexes, and rows that a node has in memory are in neither.

-- However long it takes, and whoever has to be waited for.
set local statement_timeout = 0;
set local lock_timeout = 0;

create index delivery_work_untried on delivery_work (connection_id, trigger, id)
 where next_at is not null and attempts = 0;
create index delivery_work_tried on delivery_work (connection_id, trigger, attempts, next_at)
 where next_at is not null and attempts > 0;

-- A filter that takes more effort than ingest may spend is decided before the delivery's first
-- attempt. A delivery that it keeps back then has a row, unlike those that ingest keeps back.

-- However long it takes, and whoever has to be waited for.
set local statement_timeout = 0;
set local lock_timeout = 0;

-- Takes no space in a row: it fits in the padding.
alter table delivery_work add column undecided boolean not null default false;

-- The rows that there are hold already.
alter table delivery drop constraint delivery_status_check;
alter table delivery add constraint delivery_status_check check (status in (3, 4, 5, 6)) not valid;

-- For the lists of filtered deliveries. Any other delivery costs nothing here.
create index delivery_filtered on delivery (source_id, id desc) include (connection_id) where status = 6;

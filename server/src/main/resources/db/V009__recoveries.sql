-- The epoch whose death was counted last among a delivery's recoveries: counting may be repeated.
alter table delivery_work add column recovered_epoch bigint;

-- Until now every take-over counted, also of what was only queued.
update delivery_work set recoveries = 0 where recoveries > 0;

alter table destination
  add column rate_per_second integer check (rate_per_second between 1 and 10000);

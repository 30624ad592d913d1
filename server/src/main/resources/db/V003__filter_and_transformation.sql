-- JSON as the user gave it; not jsonb, which would reorder it and rewrite numbers.
alter table connection
  add column filter         text,
  add column transformation text;

-- A dead letter that somebody dismissed. The delivery itself stays as it is: history never changes.
create table dismissal (
  source_id    uuid        not null,
  delivery_id  uuid        not null,
  dismissed_at timestamptz not null,
  primary key (source_id, delivery_id)
);
-- For the end of retention, which removes the oldest of all sources.
create index dismissal_age on dismissal (delivery_id);

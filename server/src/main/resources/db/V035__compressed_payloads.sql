-- Payloads are stored compressed where that makes them smaller, with a dictionary of their source where it has one.

-- null: `headers` and `body` are as they arrived. Otherwise `headers` is empty, and `body` is one zstd frame of the length
-- of the header lines (four bytes, the highest first), the header lines and the body. 0: the frame needs no dictionary.
-- Above 0: it needs the dictionary with this number.
alter table event add column encoding integer;

create table payload_dictionary (
  number      integer     generated always as identity primary key,
  source_id   uuid        not null,
  created_at  timestamptz not null default now(),
  replaced_at timestamptz, -- from then on no new event is compressed with it
  last_event  uuid,        -- no event with a higher id names it; known a day after it was replaced
  checksum    bytea       not null, -- SHA-256 of `bytes`
  bytes       bytea       not null
);
alter table payload_dictionary alter column bytes set storage external;
create unique index payload_dictionary_current on payload_dictionary (source_id) where replaced_at is null;
create index payload_dictionary_source on payload_dictionary (source_id);

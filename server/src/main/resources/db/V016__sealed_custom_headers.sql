-- The value of a custom header may be a credential, so custom headers are sealed like authentication. The server
-- seals the rows that have any at its next start, because it has the key.
alter table destination
  alter column custom_headers drop not null, -- plain text of an older version; null once it is sealed
  add column sealed_headers bytea;           -- null: none

update destination set custom_headers = null where custom_headers = '{}';

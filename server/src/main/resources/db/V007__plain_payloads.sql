-- Payloads are stored as they arrived. The server and the import have made sure that none is compressed.

-- However long it takes, and whoever has to be waited for.
set local statement_timeout = 0;
set local lock_timeout = 0;

alter table event drop column encoding;
drop table payload_dictionary;

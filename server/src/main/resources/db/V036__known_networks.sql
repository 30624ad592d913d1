-- Control: the networks from which people signed in. While passwords are guessed, people from these
-- networks are served first. Ending a session or resetting a password leaves them.
create table known_network (
  account_id   uuid        not null references account,
  network      text        not null, -- an IPv4 address, or the first 64 bits of an IPv6 address
  last_used_at timestamptz not null,
  primary key (account_id, network)
);

-- IPv6 addresses are left out; they become known with the next sign-in.
insert into known_network (account_id, network, last_used_at)
select account_id, address, max(created_at)
  from session
 where address not like '%:%'
 group by account_id, address;

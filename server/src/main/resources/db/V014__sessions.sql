-- People sign in. A session, an invite and a password reset are known by the SHA-256 of their token
-- only, so a copy of the database opens nothing.

create table session (
  id           uuid        primary key,
  account_id   uuid        not null references account,
  token_hash   bytea       not null unique,
  -- The workspace that the person looks at; empty after leaving the last one.
  workspace_id uuid        references workspace,
  created_at   timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at   timestamptz not null,
  address      text        not null,
  user_agent   text        not null
);
create index session_account on session (account_id);
create index session_expiry on session (expires_at);

create table invite (
  id           uuid        primary key,
  workspace_id uuid        not null references workspace,
  email        text        not null,
  role         text        not null check (role in ('admin', 'member')),
  token_hash   bytea       not null unique,
  created_by   uuid        not null references account,
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  unique (workspace_id, email)
);
create index invite_creator on invite (created_by);
create index invite_expiry on invite (expires_at);

create table password_reset (
  account_id uuid        primary key references account,
  token_hash bytea       not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

create index member_account on member (account_id);

-- Addresses are compared in lower case from now on.
update account set email = lower(email);

-- `full` may do all that a key may do; `read` only reads.
alter table api_key
  add column access     text not null default 'full' check (access in ('full', 'read')),
  add column expires_at timestamptz;

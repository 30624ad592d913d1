-- Answers of requests with an Idempotency-Key, kept for 24 hours. The answer is sealed.

-- The owner is a workspace, or the account that creates a workspace.
create table idempotency_key (
  owner_id   uuid not null,
  key        text collate "C" not null check (length(key) between 1 and 255),
  answer     bytea not null,
  created_at timestamptz not null,
  primary key (owner_id, key)
);
create index idempotency_key_created_at on idempotency_key (created_at);

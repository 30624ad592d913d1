-- A person may delete the own account. The keys that the person made belong to their workspaces and go on.
alter table api_key alter column created_by drop not null; -- null: the account is gone, or the operator made the key
create index api_key_creator on api_key (created_by);

create index password_reset_expiry on password_reset (expires_at);

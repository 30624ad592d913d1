-- The plans of the catalogue that a server started with last. A workspace whose plan is no longer in the
-- catalogue keeps the limits that it has here.
create table plan (
  name       text        primary key,
  definition text        not null, -- JSON, as an item of the catalogue
  updated_at timestamptz not null
);

-- Numbers for entries and routes, by which the API names them: from 1 in each domain, and in each
-- entry. A number is never given to another entry or route.
ALTER TABLE domain ADD COLUMN last_entry BIGINT NOT NULL DEFAULT 0 CHECK (last_entry >= 0);
ALTER TABLE entry ADD COLUMN number BIGINT NOT NULL DEFAULT 0 CHECK (number >= 0);
ALTER TABLE entry ADD COLUMN last_route BIGINT NOT NULL DEFAULT 0 CHECK (last_route >= 0);
ALTER TABLE route ADD COLUMN number BIGINT NOT NULL DEFAULT 0 CHECK (number >= 0);

-- No database on PostgreSQL is older than this step, so there is nothing to move.

CREATE UNIQUE INDEX entry_number ON entry (domain_id, number);
CREATE UNIQUE INDEX route_number ON route (entry_id, number);

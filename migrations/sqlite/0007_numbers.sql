-- Numbers for entries and routes, by which the API names them: from 1 in each domain, and in each
-- entry. A number is never given to another entry or route.
ALTER TABLE domain ADD COLUMN last_entry INTEGER NOT NULL DEFAULT 0 CHECK (last_entry >= 0);
ALTER TABLE entry ADD COLUMN number INTEGER NOT NULL DEFAULT 0 CHECK (number >= 0);
ALTER TABLE entry ADD COLUMN last_route INTEGER NOT NULL DEFAULT 0 CHECK (last_route >= 0);
ALTER TABLE route ADD COLUMN number INTEGER NOT NULL DEFAULT 0 CHECK (number >= 0);

UPDATE entry SET number = counted.number FROM (
  SELECT id, row_number() OVER (PARTITION BY domain_id ORDER BY position, id) AS number FROM entry
) AS counted WHERE counted.id = entry.id;
UPDATE domain SET last_entry = counted.number FROM (
  SELECT domain_id, count(*) AS number FROM entry GROUP BY domain_id
) AS counted WHERE counted.domain_id = domain.id;
UPDATE route SET number = counted.number FROM (
  SELECT id, row_number() OVER (PARTITION BY entry_id ORDER BY position, id) AS number FROM route
) AS counted WHERE counted.id = route.id;
UPDATE entry SET last_route = counted.number FROM (
  SELECT entry_id, count(*) AS number FROM route GROUP BY entry_id
) AS counted WHERE counted.entry_id = entry.id;

CREATE UNIQUE INDEX entry_number ON entry (domain_id, number);
CREATE UNIQUE INDEX route_number ON route (entry_id, number);

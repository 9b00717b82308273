-- What one author did at once to one domain or many, so that it can be undone at once. Rows are kept as long as
-- audit records. Revisions of earlier versions belong to no change.

CREATE TABLE recorded_change (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  author TEXT NOT NULL,
  action TEXT NOT NULL,
  reason TEXT NOT NULL,
  domain_count INTEGER NOT NULL CHECK (domain_count >= 0),
  -- The apps that changed with the domains, each before and after.
  apps TEXT NOT NULL CHECK (json_type(apps) = 'array'),
  -- The change that it undid.
  reverts INTEGER
) STRICT;
CREATE INDEX recorded_change_reverting ON recorded_change (reverts) WHERE reverts IS NOT NULL;

-- The domains of a change, by name, because a deleted domain has no row in the end. They are pruned after it.
CREATE TABLE changed_domain (
  change_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  -- NULL if the change created the domain.
  revision_before INTEGER,
  -- NULL if the change deleted the domain.
  revision_after INTEGER,
  PRIMARY KEY (change_id, name),
  CHECK (revision_before IS NOT NULL OR revision_after IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX changed_domain_of_name ON changed_domain (name, change_id);

ALTER TABLE revision ADD COLUMN change_id INTEGER;

ALTER TABLE audit ADD COLUMN change_id INTEGER;
-- Of the one record for a change of several domains.
ALTER TABLE audit ADD COLUMN domain_count INTEGER;
-- Whether it tells a part of what another record of the same change stands for.
ALTER TABLE audit ADD COLUMN is_part INTEGER NOT NULL DEFAULT 0 CHECK (is_part IN (0, 1));
CREATE INDEX audit_whole ON audit (id) WHERE is_part = 0;
CREATE INDEX audit_of_change ON audit (change_id, id) WHERE is_part = 1;

-- What `apply` needs to know: which revisions it published itself, and which domains differ from the
-- files of an export.

-- Whether `apply` published the revision.
ALTER TABLE revision ADD COLUMN is_applied INTEGER NOT NULL DEFAULT 0
  CHECK (is_applied IN (0, 1));

-- Of equal numbers, which there are after a restore, the last record counts: SQLite takes `action`
-- from the row of `max`.
UPDATE revision SET is_applied = 1 FROM (
  SELECT domain_id, number FROM (
    SELECT domain, revision AS number, action, max(id) FROM audit
    WHERE revision IS NOT NULL GROUP BY domain, revision) AS last
  JOIN domain_name ON domain_name.name = last.domain AND position = 0
  WHERE action = 'apply'
) AS applied
WHERE revision.domain_id = applied.domain_id AND revision.number = applied.number;

-- The SHA-256 of the file that an export writes for a domain, so that a client learns what differs
-- without reading everything. A row of another revision or form is outdated.
CREATE TABLE exported_file (
  domain_id INTEGER PRIMARY KEY REFERENCES domain ON DELETE CASCADE,
  revision INTEGER NOT NULL,
  -- Changes when exports are written in another way.
  form TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64)
) STRICT;

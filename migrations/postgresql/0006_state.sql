-- What `apply` needs to know: which revisions it published itself, and which domains differ from the
-- files of an export.

-- Whether `apply` published the revision.
ALTER TABLE revision ADD COLUMN is_applied BIGINT NOT NULL DEFAULT 0
  CHECK (is_applied IN (0, 1));

-- No database on PostgreSQL is older than this step, so there is nothing to move.

-- The SHA-256 of the file that an export writes for a domain, so that a client learns what differs
-- without reading everything. A row of another revision or form is outdated.
CREATE TABLE exported_file (
  domain_id BIGINT PRIMARY KEY REFERENCES domain ON DELETE CASCADE,
  revision BIGINT NOT NULL,
  -- Changes when exports are written in another way.
  form TEXT COLLATE "C" NOT NULL,
  sha256 TEXT COLLATE "C" NOT NULL CHECK (length(sha256) = 64)
);

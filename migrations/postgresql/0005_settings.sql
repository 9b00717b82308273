-- Revisions record everything else that decides what a visitor gets, and a deleted domain keeps its
-- revisions.

-- A JSON object with the domain's aliases, expectations and other settings; NULL for a revision of an
-- earlier version of the program, which recorded only the document.
ALTER TABLE revision ADD COLUMN settings TEXT COLLATE "C"
  CHECK (settings IS NULL OR json_typeof(settings::json) = 'object');

-- No database on PostgreSQL is older than this step, so there is nothing to move.

-- When a domain was deleted, and its name. A deleted domain has this row and its revisions, and
-- nothing else: no names, so that other domains can take them, and no entries.
ALTER TABLE domain ADD COLUMN deleted_at BIGINT;
ALTER TABLE domain ADD COLUMN deleted_name TEXT COLLATE "C"
  CHECK ((deleted_name IS NULL) = (deleted_at IS NULL));
CREATE UNIQUE INDEX domain_deleted ON domain (deleted_name) WHERE deleted_name IS NOT NULL;

-- What changed besides the document, in words.
ALTER TABLE audit ADD COLUMN changes TEXT COLLATE "C" NOT NULL DEFAULT '';

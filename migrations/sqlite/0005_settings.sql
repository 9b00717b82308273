-- Revisions record everything else that decides what a visitor gets, and a deleted domain keeps its
-- revisions.

-- A JSON object with the domain's aliases, expectations and other settings; NULL for a revision of an
-- earlier version of the program, which recorded only the document.
ALTER TABLE revision ADD COLUMN settings TEXT
  CHECK (settings IS NULL OR json_type(settings) = 'object');

-- The settings of current revisions are known: every change makes a revision.
UPDATE revision SET settings = (
  SELECT json_object(
    'aliases', (
      SELECT json_group_array(name) FROM (
        SELECT name FROM domain_name WHERE domain_id = domain.id AND position > 0
        ORDER BY position)),
    'enabled', json(iif(is_enabled, 'true', 'false')),
    'cacheSeconds', cache_seconds,
    'environment', environment,
    'strict', json(iif(is_strict, 'true', 'false')),
    'expectations', (
      SELECT json_group_array(
        json_object('url', url, 'app', identifier, 'resolution', resolution))
      FROM (
        SELECT url, identifier, resolution FROM expectation JOIN app ON app.id = app_id
        WHERE domain_id = domain.id ORDER BY position)))
  FROM domain WHERE domain.id = revision.domain_id)
WHERE number = (SELECT revision FROM domain WHERE domain.id = domain_id);

-- When a domain was deleted, and its name. A deleted domain has this row and its revisions, and
-- nothing else: no names, so that other domains can take them, and no entries.
ALTER TABLE domain ADD COLUMN deleted_at INTEGER;
ALTER TABLE domain ADD COLUMN deleted_name TEXT
  CHECK ((deleted_name IS NULL) = (deleted_at IS NULL));
CREATE UNIQUE INDEX domain_deleted ON domain (deleted_name) WHERE deleted_name IS NOT NULL;

-- What changed besides the document, in words.
ALTER TABLE audit ADD COLUMN changes TEXT NOT NULL DEFAULT '';

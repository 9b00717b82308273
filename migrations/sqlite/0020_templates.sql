-- What several domains share, with places for values of their own. What a template gives to a domain is also in the
-- domain's own rows.

CREATE TABLE template (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  -- The current revision.
  revision INTEGER NOT NULL CHECK (revision > 0)
) STRICT;

CREATE TABLE template_revision (
  template_id INTEGER NOT NULL REFERENCES template ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number > 0),
  content TEXT NOT NULL CHECK (json_type(content) = 'object'),
  published_at INTEGER NOT NULL,
  author TEXT NOT NULL,
  reason TEXT NOT NULL,
  is_applied INTEGER NOT NULL CHECK (is_applied IN (0, 1)),
  PRIMARY KEY (template_id, number)
) STRICT, WITHOUT ROWID;

-- The name of the template that the domain uses.
ALTER TABLE domain ADD COLUMN template TEXT;
-- The values of its parameters, and what of the domain is its own.
ALTER TABLE domain ADD COLUMN template_use TEXT
  CHECK ((template_use IS NULL) = (template IS NULL) AND json_type(template_use) = 'object');
CREATE INDEX domain_template ON domain (template) WHERE template IS NOT NULL;
-- The changed template of a record.
ALTER TABLE audit ADD COLUMN template TEXT;

-- Documents that are published as bytes under a name of their own, and where people change their password.

CREATE TABLE named_document (
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  media_type TEXT NOT NULL CHECK (media_type <> ''),
  content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 131072),
  PRIMARY KEY (domain_id, position),
  UNIQUE (domain_id, name)
) STRICT, WITHOUT ROWID;

ALTER TABLE domain ADD COLUMN change_password TEXT CHECK (length(change_password) BETWEEN 1 AND 2000);

-- The media type of a document of a revision; NULL for JSON.
ALTER TABLE document ADD COLUMN media_type TEXT CHECK (media_type <> '');

-- Documents that are published as bytes under a name of their own, and where people change their password.

CREATE TABLE named_document (
  domain_id BIGINT NOT NULL REFERENCES domain ON DELETE CASCADE,
  position BIGINT NOT NULL CHECK (position >= 0),
  name TEXT COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  media_type TEXT COLLATE "C" NOT NULL CHECK (media_type <> ''),
  content BYTEA NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 131072),
  PRIMARY KEY (domain_id, position),
  UNIQUE (domain_id, name)
);

ALTER TABLE domain ADD COLUMN change_password TEXT COLLATE "C"
  CHECK (length(change_password) BETWEEN 1 AND 2000);

-- The media type of a document of a revision; NULL for JSON.
ALTER TABLE document ADD COLUMN media_type TEXT COLLATE "C" CHECK (media_type <> '');

-- A revision has a document of each kind that the domain publishes. The kinds are those of the program, so
-- that a new one needs no migration.

CREATE TABLE document (
  id INTEGER PRIMARY KEY,
  domain_id INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind <> ''),
  content BLOB NOT NULL CHECK (length(content) BETWEEN 1 AND 1048576),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  UNIQUE (domain_id, revision, kind),
  FOREIGN KEY (domain_id, revision) REFERENCES revision (domain_id, number) ON DELETE CASCADE
) STRICT;
INSERT INTO document (domain_id, revision, kind, content, sha256)
  SELECT domain_id, number, 'apple-app-site-association', document, sha256 FROM revision
  ORDER BY id;
ALTER TABLE revision DROP COLUMN document;
ALTER TABLE revision DROP COLUMN sha256;

-- Fetches are counted by kind.
CREATE TABLE new_fetch (
  domain_id INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind <> ''),
  fetcher TEXT NOT NULL CHECK (fetcher <> ''),
  count INTEGER NOT NULL CHECK (count > 0),
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (domain_id, revision, kind, fetcher),
  FOREIGN KEY (domain_id, revision) REFERENCES revision (domain_id, number) ON DELETE CASCADE,
  CHECK (first_at <= last_at)
) STRICT, WITHOUT ROWID;
INSERT INTO new_fetch
  SELECT domain_id, revision, 'apple-app-site-association', fetcher, count, first_at, last_at
  FROM fetch;
DROP TABLE fetch;
ALTER TABLE new_fetch RENAME TO fetch;

-- Findings and their suppressions are about one document.
ALTER TABLE finding ADD COLUMN kind TEXT NOT NULL DEFAULT 'apple-app-site-association'
  CHECK (kind <> '');
ALTER TABLE suppression ADD COLUMN kind TEXT NOT NULL DEFAULT 'apple-app-site-association'
  CHECK (kind <> '');

-- An expectation is about an Apple app or about the package of an Android app.
CREATE TABLE new_expectation (
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  url TEXT NOT NULL,
  app_id INTEGER REFERENCES app,
  package TEXT CHECK (package <> ''),
  resolution TEXT NOT NULL CHECK (resolution IN ('match', 'blocked', 'no-match')),
  PRIMARY KEY (domain_id, position),
  CHECK ((app_id IS NULL) <> (package IS NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO new_expectation
  SELECT domain_id, position, url, app_id, NULL, resolution FROM expectation;
DROP TABLE expectation;
ALTER TABLE new_expectation RENAME TO expectation;
CREATE INDEX expectation_of_app ON expectation (app_id);
CREATE INDEX expectation_of_package ON expectation (package) WHERE package IS NOT NULL;

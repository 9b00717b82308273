-- Tables for operations: expectations, environments, the audit log, and tokens that expire.

-- A URL of a domain with the resolution that it must have for an app.
CREATE TABLE expectation (
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  url TEXT NOT NULL,
  app_id INTEGER NOT NULL REFERENCES app,
  resolution TEXT NOT NULL CHECK (resolution IN ('match', 'blocked', 'no-match')),
  PRIMARY KEY (domain_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX expectation_of_app ON expectation (app_id);

-- What the domain is for, and whether apps of another environment are errors.
ALTER TABLE domain ADD COLUMN environment TEXT NOT NULL DEFAULT 'production'
  CHECK (environment IN ('production', 'staging', 'development'));
ALTER TABLE domain ADD COLUMN is_strict INTEGER NOT NULL DEFAULT 0 CHECK (is_strict IN (0, 1));

-- The codes of the findings about a domain's document.
CREATE TABLE domain_finding (
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  code TEXT NOT NULL,
  PRIMARY KEY (domain_id, code)
) STRICT, WITHOUT ROWID;
CREATE INDEX domain_finding_of_code ON domain_finding (code);

-- The audit log: who changed what, when and from where. Rows are only added and pruned.
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  -- The name of a token, or of a command.
  author TEXT NOT NULL,
  -- The address that the request came from; empty for a command.
  address TEXT NOT NULL,
  action TEXT NOT NULL,
  reason TEXT NOT NULL,
  domain TEXT,
  app TEXT,
  token TEXT,
  -- The revision that was published.
  revision INTEGER
) STRICT;
CREATE INDEX audit_of_domain ON audit (domain, id);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN SELECT raise(ABORT, 'audit rows are never changed'); END;

ALTER TABLE token ADD COLUMN expires_at INTEGER;
ALTER TABLE token ADD COLUMN last_used_at INTEGER;

-- The linter's findings about the document that each domain serves, and what teams do not want to hear
-- about for a while.

-- The version of the linter that found the domain's findings; 0 if it has to look again.
ALTER TABLE domain ADD COLUMN linted_by INTEGER NOT NULL DEFAULT 0 CHECK (linted_by >= 0);
CREATE INDEX domain_linted_by ON domain (linted_by);

-- Replaces `domain_finding`, which had only the codes.
DROP TABLE domain_finding;
CREATE TABLE finding (
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  code TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('note', 'warning', 'error')),
  pointer TEXT NOT NULL,
  message TEXT NOT NULL,
  help TEXT NOT NULL,
  -- The number of the suppression that covers it, which may have ended.
  suppression INTEGER,
  PRIMARY KEY (domain_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX finding_of_code ON finding (code, severity, suppression);

-- A decision not to act on some findings of a domain until a time. Numbers are never given again.
ALTER TABLE domain ADD COLUMN last_suppression INTEGER NOT NULL DEFAULT 0
  CHECK (last_suppression >= 0);
CREATE TABLE suppression (
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 1),
  code TEXT NOT NULL,
  -- A pointer in which entries and routes have their numbers, so that it follows them.
  place TEXT NOT NULL,
  reason TEXT NOT NULL,
  owner TEXT NOT NULL,
  ends_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  author TEXT NOT NULL,
  PRIMARY KEY (domain_id, number)
) STRICT, WITHOUT ROWID;

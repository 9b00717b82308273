-- Decisions not to act on some findings of several domains until a time. Servers of earlier versions list these
-- findings as if they counted.

CREATE TABLE shared_suppression (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  code TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- A pointer into the document of each domain.
  pointer TEXT NOT NULL,
  -- What covers the names of the domains, or else their label.
  glob TEXT,
  label TEXT,
  reason TEXT NOT NULL,
  owner TEXT NOT NULL,
  ends_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  author TEXT NOT NULL,
  CHECK ((glob IS NULL) <> (label IS NULL))
) STRICT;
CREATE INDEX shared_suppression_of_code ON shared_suppression (code);

-- Who uses the dashboard: sessions of tokens, and users whom a proxy names.

-- A sign-in with a token. Only the hash of its secret is stored.
CREATE TABLE session (
  hash BLOB PRIMARY KEY CHECK (length(hash) = 32),
  token_id INTEGER NOT NULL REFERENCES token ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_of_token ON session (token_id);
CREATE INDEX session_end ON session (ends_at);

-- A person whom a trusted proxy names. No token has the same name.
CREATE TABLE named_user (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 255),
  role TEXT NOT NULL CHECK (role IN ('viewer', 'editor', 'admin')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- The domains that a user is limited to. A user without rows here may access all.
CREATE TABLE named_user_domain (
  user_id INTEGER NOT NULL REFERENCES named_user ON DELETE CASCADE,
  glob TEXT NOT NULL,
  PRIMARY KEY (user_id, glob)
) STRICT, WITHOUT ROWID;

ALTER TABLE audit ADD COLUMN named_user TEXT;

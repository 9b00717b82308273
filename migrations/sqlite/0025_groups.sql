-- Groups of the identity provider that a trusted proxy lists for the user whom it names.

CREATE TABLE named_group (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 255),
  role TEXT NOT NULL CHECK (role IN ('viewer', 'editor', 'admin')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- The domains that a group is limited to, as in `named_user_domain`.
CREATE TABLE named_group_domain (
  group_id INTEGER NOT NULL REFERENCES named_group ON DELETE CASCADE,
  glob TEXT NOT NULL,
  PRIMARY KEY (group_id, glob)
) STRICT, WITHOUT ROWID;

ALTER TABLE audit ADD COLUMN named_group TEXT;

-- The last revisions of deleted templates: a new template of the same name continues from them, so that a number never
-- means two contents.
CREATE TABLE deleted_template (
  name TEXT PRIMARY KEY,
  revision INTEGER NOT NULL CHECK (revision > 0)
) STRICT, WITHOUT ROWID;

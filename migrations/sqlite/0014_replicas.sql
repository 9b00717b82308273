-- The servers that run on the database, and the work that one of them does for all.

CREATE TABLE replica (
  -- A word that no other server uses.
  id TEXT PRIMARY KEY,
  -- The name of its machine.
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  -- Where its JSON API is reached.
  url TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  -- When it is taken to be gone, unless it is seen again.
  ends_at INTEGER NOT NULL,
  -- The last change that it serves, and how many there were after that.
  applied INTEGER NOT NULL,
  lag INTEGER NOT NULL CHECK (lag >= 0),
  -- A change that somebody waits for.
  awaited INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE lease (
  work TEXT PRIMARY KEY,
  -- The server that does it until then.
  holder TEXT NOT NULL,
  ends_at INTEGER NOT NULL
) STRICT;

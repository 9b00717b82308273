-- The servers that run on the database, and the work that one of them does for all.

CREATE TABLE replica (
  -- A word that no other server uses.
  id TEXT COLLATE "C" PRIMARY KEY,
  -- The name of its machine.
  name TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL,
  -- Where its JSON API is reached.
  url TEXT COLLATE "C" NOT NULL,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  -- When it is taken to be gone, unless it is seen again.
  ends_at BIGINT NOT NULL,
  -- The last change that it serves, and how many there were after that.
  applied BIGINT NOT NULL,
  lag BIGINT NOT NULL CHECK (lag >= 0),
  -- A change that somebody waits for.
  awaited BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE lease (
  work TEXT COLLATE "C" PRIMARY KEY,
  -- The server that does it until then.
  holder TEXT COLLATE "C" NOT NULL,
  ends_at BIGINT NOT NULL
);

-- Edits that wait for a second person, and the domains that need one. Servers of earlier versions publish without it.

ALTER TABLE domain ADD COLUMN is_protected INTEGER NOT NULL DEFAULT 0 CHECK (is_protected IN (0, 1));

-- Domains with one of these labels are protected, too.
CREATE TABLE protected_label (
  label TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who publishes protected domains without a second person.
ALTER TABLE token ADD COLUMN publishes_protected INTEGER NOT NULL DEFAULT 0
  CHECK (publishes_protected IN (0, 1));
ALTER TABLE named_user ADD COLUMN publishes_protected INTEGER NOT NULL DEFAULT 0
  CHECK (publishes_protected IN (0, 1));
ALTER TABLE named_group ADD COLUMN publishes_protected INTEGER NOT NULL DEFAULT 0
  CHECK (publishes_protected IN (0, 1));

CREATE TABLE draft (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  author TEXT NOT NULL,
  reason TEXT NOT NULL,
  -- The state to apply, as `POST /v1/apply` takes it.
  state TEXT NOT NULL CHECK (json_type(state) = 'object'),
  -- What it was planned on: the revisions of domains and templates, and the hashes of apps.
  bases TEXT NOT NULL CHECK (json_type(bases) = 'object'),
  -- The codes of accepted errors.
  accepted TEXT NOT NULL CHECK (json_type(accepted) = 'array'),
  status TEXT NOT NULL CHECK (status IN ('open', 'approved', 'declined', 'withdrawn')),
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  ended_by TEXT,
  -- Why it was declined or withdrawn.
  ended_reason TEXT,
  -- The change that it became.
  change_id INTEGER,
  CHECK ((status = 'open') = (ended_at IS NULL))
) STRICT;
CREATE INDEX draft_open ON draft (author) WHERE status = 'open';
CREATE INDEX draft_ended ON draft (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE draft_comment (
  draft_id INTEGER NOT NULL REFERENCES draft ON DELETE CASCADE,
  position INTEGER NOT NULL,
  author TEXT NOT NULL,
  at INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (draft_id, position)
) STRICT, WITHOUT ROWID;

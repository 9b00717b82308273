-- The linter's findings about the document that each domain serves, and what teams do not want to hear
-- about for a while.

-- The version of the linter that found the domain's findings; 0 if it has to look again.
ALTER TABLE domain ADD COLUMN linted_by BIGINT NOT NULL DEFAULT 0 CHECK (linted_by >= 0);
CREATE INDEX domain_linted_by ON domain (linted_by);

-- Replaces `domain_finding`, which had only the codes.
DROP TABLE domain_finding;
CREATE TABLE finding (
  domain_id BIGINT NOT NULL REFERENCES domain ON DELETE CASCADE,
  position BIGINT NOT NULL CHECK (position >= 0),
  code TEXT COLLATE "C" NOT NULL,
  severity TEXT COLLATE "C" NOT NULL CHECK (severity IN ('note', 'warning', 'error')),
  pointer TEXT COLLATE "C" NOT NULL,
  message TEXT COLLATE "C" NOT NULL,
  help TEXT COLLATE "C" NOT NULL,
  -- The number of the suppression that covers it, which may have ended.
  suppression BIGINT,
  PRIMARY KEY (domain_id, position)
);
CREATE INDEX finding_of_code ON finding (code, severity, suppression);

-- A decision not to act on some findings of a domain until a time. Numbers are never given again.
ALTER TABLE domain ADD COLUMN last_suppression BIGINT NOT NULL DEFAULT 0
  CHECK (last_suppression >= 0);
CREATE TABLE suppression (
  domain_id BIGINT NOT NULL REFERENCES domain ON DELETE CASCADE,
  number BIGINT NOT NULL CHECK (number >= 1),
  code TEXT COLLATE "C" NOT NULL,
  -- A pointer in which entries and routes have their numbers, so that it follows them.
  place TEXT COLLATE "C" NOT NULL,
  reason TEXT COLLATE "C" NOT NULL,
  owner TEXT COLLATE "C" NOT NULL,
  ends_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  author TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (domain_id, number)
);

-- What checks from outside find about each domain, and when each domain is due.

-- A check's findings are rows beside the linter's, with positions from 1,000,000 on.
ALTER TABLE finding ADD COLUMN source TEXT NOT NULL DEFAULT 'lint'
  CHECK (source IN ('lint', 'check'));
ALTER TABLE finding ADD COLUMN url TEXT;
ALTER TABLE finding ADD COLUMN apple_code TEXT;
DROP INDEX finding_of_code;
CREATE INDEX finding_of_code ON finding (code, severity, suppression, source);

-- The checks of a domain: one row for as many in a row as had the same outcome.
CREATE TABLE domain_check (
  id INTEGER PRIMARY KEY,
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  -- After suppressions.
  status TEXT NOT NULL CHECK (status IN ('ok', 'warning', 'failing')),
  -- The codes of the findings that count.
  codes TEXT NOT NULL CHECK (json_type(codes) = 'array'),
  -- The revision that Apple's CDN had; NULL if it had none of ours.
  cdn_revision INTEGER,
  -- The last of these checks; NULL if that was too long ago.
  result TEXT CHECK (json_type(result) = 'object'),
  CHECK (first_at <= last_at)
) STRICT;
CREATE INDEX domain_check_of_domain ON domain_check (domain_id, id);
CREATE INDEX domain_check_detailed ON domain_check (last_at) WHERE result IS NOT NULL;

-- When each domain is checked next, and how its last check ended.
CREATE TABLE check_schedule (
  domain_id INTEGER PRIMARY KEY REFERENCES domain ON DELETE CASCADE,
  -- When it is due, or taken to be lost by the server that checks it now.
  due_at INTEGER NOT NULL,
  -- Whether it fails, or changed since its last check: such domains come first.
  is_urgent INTEGER NOT NULL CHECK (is_urgent IN (0, 1)),
  -- The row of the last check, which has its outcome.
  check_id INTEGER REFERENCES domain_check ON DELETE SET NULL,
  checked_at INTEGER,
  -- The number of failing checks in a row, and when the first of them was.
  failures INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),
  failing_since INTEGER,
  -- Whether `check.failed` was told, and not yet `check.recovered`.
  is_alerted INTEGER NOT NULL DEFAULT 0 CHECK (is_alerted IN (0, 1)),
  -- When the certificate of the origin ends, and the end that `certificate.expiring` was last about.
  certificate_ends_at INTEGER,
  told_certificate_ends_at INTEGER,
  -- When Apple's CDN fetched what it has, and by how many revisions that is behind.
  cdn_fetched_at INTEGER,
  cdn_lag INTEGER
) STRICT;
CREATE INDEX check_schedule_due ON check_schedule (is_urgent, due_at);
CREATE INDEX check_schedule_of_check ON check_schedule (check_id);

INSERT INTO check_schedule (domain_id, due_at, is_urgent)
  SELECT id, 0, 0 FROM domain WHERE deleted_at IS NULL;

-- The rows that documents are rendered from, their revisions, and tokens.
--
-- Rows are ordered by `position`, from 0, then by `id`. Times are in seconds since 1970. `extra` is
-- a JSON object with the members of an adopted file that no other column holds.

-- An app that domains use.
CREATE TABLE app (
  id INTEGER PRIMARY KEY,
  identifier TEXT NOT NULL UNIQUE CHECK (identifier GLOB '?*.?*'),
  name TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('production', 'staging', 'development')),
  updated_at INTEGER NOT NULL
) STRICT;

-- A domain that a file is published for. Its name is in `domain_name`.
CREATE TABLE domain (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
  format TEXT NOT NULL CHECK (format IN ('modern', 'legacy')),
  cache_seconds INTEGER NOT NULL CHECK (cache_seconds BETWEEN 0 AND 31536000),
  -- How `applinks.details` is written.
  details_form TEXT NOT NULL CHECK (details_form IN ('array', 'dictionary')),
  -- Whether `applinks.apps` is written.
  has_apps INTEGER NOT NULL CHECK (has_apps IN (0, 1)),
  -- Further members of `applinks`, and of the file.
  applinks_extra TEXT NOT NULL CHECK (json_type(applinks_extra) = 'object'),
  extra TEXT NOT NULL CHECK (json_type(extra) = 'object'),
  -- The number of the revision that is served.
  revision INTEGER NOT NULL CHECK (revision >= 0),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Every name that serves a domain's file. Names and aliases share one table, so that its key keeps
-- them unique across domains. Position 0 is the domain's own name.
CREATE TABLE domain_name (
  name TEXT PRIMARY KEY CHECK (name = lower(name) AND length(name) BETWEEN 1 AND 253),
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  CHECK (position > 0 OR name NOT GLOB '[*]*')
) STRICT, WITHOUT ROWID;
CREATE INDEX domain_name_of_domain ON domain_name (domain_id, position);
CREATE UNIQUE INDEX domain_name_own ON domain_name (domain_id) WHERE position = 0;

-- The strings of `applinks.apps` in an adopted file. They need not be app identifiers.
CREATE TABLE applinks_app (
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  value TEXT NOT NULL,
  PRIMARY KEY (domain_id, position)
) STRICT, WITHOUT ROWID;

-- `webcredentials`, `appclips` and `activitycontinuation`, with their apps.
CREATE TABLE service (
  id INTEGER PRIMARY KEY,
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  name TEXT NOT NULL CHECK (name IN ('webcredentials', 'appclips', 'activitycontinuation')),
  extra TEXT NOT NULL CHECK (json_type(extra) = 'object'),
  UNIQUE (domain_id, name)
) STRICT;
CREATE TABLE service_app (
  service_id INTEGER NOT NULL REFERENCES service ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  app_id INTEGER NOT NULL REFERENCES app,
  PRIMARY KEY (service_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX service_app_of_app ON service_app (app_id);

-- `applinks.substitutionVariables`.
CREATE TABLE substitution_variable (
  id INTEGER PRIMARY KEY,
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  name TEXT NOT NULL,
  UNIQUE (domain_id, name)
) STRICT;
CREATE TABLE substitution_value (
  variable_id INTEGER NOT NULL REFERENCES substitution_variable ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  value TEXT NOT NULL,
  PRIMARY KEY (variable_id, position)
) STRICT, WITHOUT ROWID;

-- An element of `applinks.details`. The four flags are Apple's keys that it is written with.
CREATE TABLE entry (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  has_app_id INTEGER NOT NULL CHECK (has_app_id IN (0, 1)),
  has_app_ids INTEGER NOT NULL CHECK (has_app_ids IN (0, 1)),
  has_components INTEGER NOT NULL CHECK (has_components IN (0, 1)),
  has_paths INTEGER NOT NULL CHECK (has_paths IN (0, 1)),
  -- The value of `appID` where it stands beside `appIDs`.
  app_id INTEGER REFERENCES app,
  extra TEXT NOT NULL CHECK (json_type(extra) = 'object'),
  CHECK ((app_id IS NOT NULL) = (has_app_id = 1 AND has_app_ids = 1))
) STRICT;
CREATE INDEX entry_of_domain ON entry (domain_id, position);
CREATE INDEX entry_of_app ON entry (app_id) WHERE app_id IS NOT NULL;

-- The apps of an entry.
CREATE TABLE entry_app (
  entry_id INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  app_id INTEGER NOT NULL REFERENCES app,
  PRIMARY KEY (entry_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_app_of_app ON entry_app (app_id);

-- The `defaults` of a domain or an entry.
CREATE TABLE defaults (
  id INTEGER PRIMARY KEY,
  domain_id INTEGER UNIQUE REFERENCES domain ON DELETE CASCADE,
  entry_id INTEGER UNIQUE REFERENCES entry ON DELETE CASCADE,
  case_sensitive INTEGER CHECK (case_sensitive IN (0, 1)),
  percent_encoded INTEGER CHECK (percent_encoded IN (0, 1)),
  extra TEXT NOT NULL CHECK (json_type(extra) = 'object'),
  CHECK ((domain_id IS NULL) <> (entry_id IS NULL))
) STRICT;

-- A route: its conditions, and whether it is an exclusion. A NULL column means that the key is not
-- written.
CREATE TABLE route (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  entry_id INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  path TEXT,
  -- `?` as one pattern; as conditions on items it is in `query_item`.
  query TEXT,
  has_query_items INTEGER NOT NULL CHECK (has_query_items IN (0, 1)),
  fragment TEXT,
  exclude INTEGER CHECK (exclude IN (0, 1)),
  case_sensitive INTEGER CHECK (case_sensitive IN (0, 1)),
  percent_encoded INTEGER CHECK (percent_encoded IN (0, 1)),
  comment TEXT,
  extra TEXT NOT NULL CHECK (json_type(extra) = 'object'),
  CHECK (query IS NULL OR has_query_items = 0)
) STRICT;
CREATE INDEX route_of_entry ON route (entry_id, position);

-- A condition on one query item: a pattern, or another JSON value from an adopted file.
CREATE TABLE query_item (
  route_id INTEGER NOT NULL REFERENCES route ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  name TEXT NOT NULL,
  pattern TEXT,
  other TEXT CHECK (other IS NULL OR json_valid(other)),
  PRIMARY KEY (route_id, position),
  UNIQUE (route_id, name),
  CHECK ((pattern IS NULL) <> (other IS NULL))
) STRICT, WITHOUT ROWID;

-- The elements of `paths` if the entry also has `components`.
CREATE TABLE legacy_path (
  entry_id INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  pattern TEXT NOT NULL,
  exclude INTEGER NOT NULL CHECK (exclude IN (0, 1)),
  PRIMARY KEY (entry_id, position)
) STRICT, WITHOUT ROWID;

-- A published document. Rows are never changed, only added and pruned.
CREATE TABLE revision (
  id INTEGER PRIMARY KEY,
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 1),
  document BLOB NOT NULL CHECK (length(document) BETWEEN 1 AND 131072),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  published_at INTEGER NOT NULL,
  author TEXT NOT NULL,
  reason TEXT NOT NULL,
  accepted_codes TEXT NOT NULL CHECK (json_type(accepted_codes) = 'array'),
  UNIQUE (domain_id, number)
) STRICT;

-- Changed domains, in order, so that running servers know what to read again. Old rows are deleted.
CREATE TABLE change (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  domain_id INTEGER NOT NULL
) STRICT;

-- A bearer token. Only its hash is stored.
CREATE TABLE token (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 100),
  role TEXT NOT NULL CHECK (role IN ('viewer', 'editor', 'admin')),
  hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  created_at INTEGER NOT NULL
) STRICT;

-- The domains that a token is limited to. A token without rows here may access all.
CREATE TABLE token_domain (
  token_id INTEGER NOT NULL REFERENCES token ON DELETE CASCADE,
  glob TEXT NOT NULL,
  PRIMARY KEY (token_id, glob)
) STRICT, WITHOUT ROWID;

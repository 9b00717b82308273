-- Android apps, and the rows that `assetlinks.json` and `webauthn` are rendered from.

-- An Android app that domains use.
CREATE TABLE android_app (
  id INTEGER PRIMARY KEY,
  package TEXT NOT NULL UNIQUE CHECK (package GLOB '?*.?*'),
  name TEXT NOT NULL,
  environment TEXT NOT NULL CHECK (environment IN ('production', 'staging', 'development')),
  updated_at INTEGER NOT NULL
) STRICT;

-- The certificates that an Android app is signed with, by their SHA-256 fingerprints: upper-case
-- hexadecimal pairs with colons.
CREATE TABLE android_certificate (
  app_id INTEGER NOT NULL REFERENCES android_app ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  fingerprint TEXT NOT NULL
    CHECK (length(fingerprint) = 95 AND fingerprint NOT GLOB '*[^0-9A-F:]*'),
  label TEXT NOT NULL CHECK (label IN ('upload', 'play-signing', 'debug')),
  PRIMARY KEY (app_id, position),
  UNIQUE (app_id, fingerprint)
) STRICT, WITHOUT ROWID;

-- The Android apps of an entry.
CREATE TABLE entry_android_app (
  entry_id INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  app_id INTEGER NOT NULL REFERENCES android_app,
  PRIMARY KEY (entry_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX entry_android_app_of_app ON entry_android_app (app_id);

-- The Android apps that share credentials with a domain.
CREATE TABLE android_credential (
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  app_id INTEGER NOT NULL REFERENCES android_app,
  PRIMARY KEY (domain_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX android_credential_of_app ON android_credential (app_id);

-- The other origins that may use the passkeys of a domain.
CREATE TABLE webauthn_origin (
  domain_id INTEGER NOT NULL REFERENCES domain ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  origin TEXT NOT NULL CHECK (origin GLOB 'https://?*'),
  PRIMARY KEY (domain_id, position)
) STRICT, WITHOUT ROWID;

-- Whether the routes are rendered for Android, too.
ALTER TABLE domain ADD COLUMN has_dynamic_app_links INTEGER NOT NULL DEFAULT 1
  CHECK (has_dynamic_app_links IN (0, 1));
-- Further statements of `assetlinks.json`, and further members of `webauthn`.
ALTER TABLE domain ADD COLUMN assetlinks_extra TEXT NOT NULL DEFAULT '[]'
  CHECK (json_type(assetlinks_extra) = 'array');
ALTER TABLE domain ADD COLUMN webauthn_extra TEXT NOT NULL DEFAULT '{}'
  CHECK (json_type(webauthn_extra) = 'object');

ALTER TABLE audit ADD COLUMN android_app TEXT;

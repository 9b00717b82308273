-- Certificates of adopted files, which do not tell whose key they name.

-- SQLite cannot change a constraint of a table.
CREATE TABLE new_android_certificate (
  app_id INTEGER NOT NULL REFERENCES android_app ON DELETE CASCADE,
  position INTEGER NOT NULL CHECK (position >= 0),
  fingerprint TEXT NOT NULL
    CHECK (length(fingerprint) = 95 AND fingerprint NOT GLOB '*[^0-9A-F:]*'),
  label TEXT NOT NULL CHECK (label IN ('upload', 'play-signing', 'debug', 'unknown')),
  PRIMARY KEY (app_id, position),
  UNIQUE (app_id, fingerprint)
) STRICT, WITHOUT ROWID;
INSERT INTO new_android_certificate (app_id, position, fingerprint, label)
  SELECT app_id, position, fingerprint, label FROM android_certificate;
DROP TABLE android_certificate;
ALTER TABLE new_android_certificate RENAME TO android_certificate;

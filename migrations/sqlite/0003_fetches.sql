-- The fetch ledger: how often, and when first and last, each class of fetcher fetched each
-- revision. The class comes from the User-Agent, which proves nothing. All servers on the database
-- add to the same rows, which are deleted with their revision.
CREATE TABLE fetch (
  domain_id INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  fetcher TEXT NOT NULL CHECK (fetcher IN ('apple-cdn', 'device', 'other')),
  count INTEGER NOT NULL CHECK (count > 0),
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (domain_id, revision, fetcher),
  FOREIGN KEY (domain_id, revision) REFERENCES revision (domain_id, number) ON DELETE CASCADE,
  CHECK (first_at <= last_at)
) STRICT, WITHOUT ROWID;

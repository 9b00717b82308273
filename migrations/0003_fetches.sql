-- The fetch ledger: how often each revision of a domain was fetched, by what class of fetcher, and
-- when first and last. A class is what the User-Agent says, which proves nothing. Rows are added up
-- by every server on the database, and go with their revision.
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

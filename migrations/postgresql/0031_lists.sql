-- Finds the few of many domains that publish a kind of document. Nearly all of them have Apple's.
CREATE INDEX document_of_kind ON document (kind, domain_id) WHERE kind <> 'apple-app-site-association';

-- Where only a few of many domains are fetched, PostgreSQL takes every domain to have as many rows as those, and reads
-- the whole table for each domain instead of using the index. This tells ANALYZE that a domain has about three rows.
ALTER TABLE "fetch" ALTER COLUMN domain_id SET (n_distinct = -0.3);
ANALYZE "fetch" (domain_id);

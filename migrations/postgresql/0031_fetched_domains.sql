-- Where only a few of many domains are fetched, PostgreSQL takes every domain to have as many rows as those, and reads
-- the whole table for each domain instead of using the index. Here it learns that a domain has about three rows.
ALTER TABLE "fetch" ALTER COLUMN domain_id SET (n_distinct = -0.3);

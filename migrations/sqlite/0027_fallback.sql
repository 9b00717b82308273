-- What people without an app get; NULL for nothing.
ALTER TABLE domain ADD COLUMN fallback TEXT CHECK (json_type(fallback) = 'object');
-- The same with the targets of routes, as servers read it.
ALTER TABLE domain ADD COLUMN served_fallback TEXT CHECK (json_type(served_fallback) = 'object');
-- Where people without an app are sent from URLs of a route.
ALTER TABLE route ADD COLUMN fallback TEXT;

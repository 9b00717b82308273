-- What people without an app get; NULL for nothing.
ALTER TABLE domain ADD COLUMN fallback TEXT COLLATE "C" CHECK (json_typeof(fallback::json) = 'object');
-- The same with the targets of routes, as servers read it.
ALTER TABLE domain ADD COLUMN served_fallback TEXT COLLATE "C" CHECK (json_typeof(served_fallback::json) = 'object');
-- Where people without an app are sent from URLs of a route.
ALTER TABLE route ADD COLUMN fallback TEXT COLLATE "C";
